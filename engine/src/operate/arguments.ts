import { complaintAbout, type JsonSchema } from "../decide/json-schema.ts";

/** One argument of a verb as a caller may send it in JSON. */
export interface Argument {
  readonly name: string;
  readonly schema: JsonSchema;
  /** May be left out, or null where a later one is given. */
  readonly optional?: true;
}

/** The arguments as a verb takes them, or one sentence: what is wrong with the first that does not fit. */
export type ReadArguments = { readonly values: readonly unknown[] } | { readonly complaint: string };

const depthMax = 32;

/** Holds JSON against what a verb takes. Nothing else gets near a statement: neither a field nor a type that is not named. */
export function readArguments(takes: readonly Argument[], given: readonly unknown[]): ReadArguments {
  const names = takes.map(({ name, optional }) => (optional ? `[${name}]` : name)).join(", ");
  if (given.length > takes.length) {
    const many = `${given.length} arguments were sent`;
    return { complaint: `${many}; it takes ${takes.length === 0 ? "none" : names}.` };
  }
  const values: unknown[] = [];
  for (const [index, { name, schema, optional }] of takes.entries()) {
    const value = given[index] ?? undefined;
    if (value === undefined && !optional) return { complaint: `${name} is missing; it takes ${names}.` };
    const complaint = value === undefined ? null : complaintOf(schema, value, name);
    if (complaint) return { complaint: `${complaint}.` };
    values.push(value === undefined ? undefined : reviveMoments(schema, value));
  }
  return { values };
}

const complaintOf = (schema: JsonSchema, value: unknown, name: string): string | null =>
  aboutContent(value, name, 0) ?? complaintAbout(schema, value, name);

/** What no column can hold, and what no recursion should meet. */
function aboutContent(value: unknown, name: string, depth: number): string | null {
  if (typeof value === "string")
    return value.includes("\0") ? `${name} must not contain the character NUL` : null;
  if (typeof value !== "object" || value === null) return null;
  if (depth >= depthMax) return `${name} is nested more than ${depthMax} levels deep`;
  for (const [key, inner] of Object.entries(value)) {
    const complaint = aboutContent(key, name, depth) ?? aboutContent(inner, name, depth + 1);
    if (complaint) return complaint;
  }
  return null;
}

/** A moment is a Date only where the schema says so: an id that looks like a moment stays text. */
function reviveMoments(schema: JsonSchema, value: unknown): unknown {
  const { format, anyOf, items, properties } = schema;
  if (typeof value === "string") {
    const isMoment = [schema, ...(anyOf ?? [])].some(
      (one) => (one === schema ? format : one.format) === "date-time" && !complaintAbout(one, value),
    );
    return isMoment ? new Date(value) : value;
  }
  if (Array.isArray(value)) return items ? value.map((one) => reviveMoments(items, one)) : value;
  if (typeof value !== "object" || value === null || !properties) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, reviveMoments(properties[name] ?? {}, field)]),
  );
}
