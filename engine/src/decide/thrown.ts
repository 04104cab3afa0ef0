/** Anything can be thrown, and reading a thrown value may throw again. Nothing in this file does. */

/** A property, or undefined if missing or unreadable. */
export function read(from: unknown, key: string): unknown {
  if ((typeof from !== "object" || from === null) && typeof from !== "function") return undefined;
  try {
    return (from as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
}

export function readText(from: unknown, key: string): string | undefined {
  const value = read(from, key);
  return typeof value === "string" ? value : undefined;
}

/** The first items of an array, or undefined if there is no array. */
export function readItems(from: unknown, key: string, itemsMax: number): readonly unknown[] | undefined {
  const items = read(from, key);
  try {
    return Array.isArray(items) ? items.slice(0, itemsMax) : undefined;
  } catch {
    return undefined;
  }
}

/** A method's answer, or undefined if missing or failing. */
export function ask(from: unknown, method: string, argument: string): unknown {
  const ability = read(from, method);
  try {
    return typeof ability === "function" ? ability.call(from, argument) : undefined;
  } catch {
    return undefined;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: any class will do.
export function isInstance<Class>(thrown: unknown, of: new (...given: any[]) => Class): thrown is Class {
  try {
    return thrown instanceof of;
  } catch {
    return false;
  }
}

/** The name of an error; without a name of its own, the name of its class. Undefined: not an error. */
export function errorName(thrown: unknown): string | undefined {
  const name = readText(thrown, "name");
  const isError =
    isInstance(thrown, Error) || (name !== undefined && readText(thrown, "message") !== undefined);
  if (!isError || typeof thrown === "function") return undefined;
  const named = name === undefined || name === "Error" ? readText(read(thrown, "constructor"), "name") : name;
  return named || name || "Error";
}

/** A description of any thrown value, for lack of a message. */
export function describe(thrown: unknown): string {
  switch (typeof thrown) {
    case "string":
      return thrown;
    case "object":
      return thrown === null ? "null was thrown" : `${preview(thrown)} was thrown`;
    case "function":
      return `the function ${short(readText(thrown, "name") || "without a name")} was thrown`;
    default:
      return `${String(thrown)} was thrown`;
  }
}

const previewKeysMax = 8;
const previewLengthMax = 60;

function preview(thrown: object): string {
  const length = read(thrown, "length");
  const name = short(readText(read(thrown, "constructor"), "name") || "object");
  if (typeof length === "number") return `${name} of length ${length}`;
  const keys = ownKeys(thrown);
  const shown = keys
    .slice(0, previewKeysMax)
    .map((key) => `${short(key)}: ${previewValue(read(thrown, key))}`);
  const rest = keys.length > previewKeysMax ? [`${keys.length - previewKeysMax} more`] : [];
  return keys.length === 0 ? `an empty ${name}` : `${name} { ${[...shown, ...rest].join(", ")} }`;
}

const short = (text: string): string => text.slice(0, previewLengthMax);

function ownKeys(thrown: object): readonly string[] {
  try {
    return Object.keys(thrown);
  } catch {
    return [];
  }
}

function previewValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(short(value));
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? "…" : String(value);
}
