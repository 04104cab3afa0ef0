/** First difference of two values: a path such as `pages[2].text`, and both values there. */
export interface FieldDifference {
  readonly field: string;
  readonly was: unknown;
  readonly is: unknown;
}

/** Null: equal. Keys are compared in alphabetical order, for a stable answer. */
export function firstDifference(was: unknown, is: unknown, field = ""): FieldDifference | null {
  if (Object.is(was, is)) return null;
  if (!isObject(was) || !isObject(is) || Array.isArray(was) !== Array.isArray(is)) return { field, was, is };
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  if (!Array.isArray(was)) keys.sort();
  for (const key of keys) {
    const path = Array.isArray(was) ? `${field}[${key}]` : field === "" ? key : `${field}.${key}`;
    const found = firstDifference(was[key], is[key], path);
    if (found) return found;
  }
  return null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
