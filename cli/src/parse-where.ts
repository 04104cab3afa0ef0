import { Refusal } from "./exit-codes.ts";

type JsonValue = string | number | boolean | null | { readonly [key: string]: JsonValue };
type JsonObject = { readonly [key: string]: JsonValue };

/** Alternative conditions on documents: `size=3` may mean the number or the text. All keys have to match. */
export function parseWhere(conditions: readonly string[], flag: string): JsonObject[] {
  if (conditions.length === 0) return [];
  return conditions
    .map((condition) => readCondition(condition, flag))
    .reduce<JsonObject[]>(
      (all, readings) => all.flatMap((one) => readings.map((reading) => merge(one, reading))),
      [{}],
    );
}

function readCondition(condition: string, flag: string): JsonObject[] {
  const equals = condition.indexOf("=");
  const keys = condition.slice(0, Math.max(0, equals)).split(".");
  if (equals < 1 || keys.includes("")) {
    throw new Refusal(`${flag} is "${condition}"; expected key=value, such as list=quic.`, 2);
  }
  const text = condition.slice(equals + 1);
  const nest = (value: JsonValue): JsonObject =>
    keys.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value) as JsonObject;
  return /^(-?\d+(\.\d+)?|true|false|null)$/.test(text) ? [nest(text), nest(JSON.parse(text))] : [nest(text)];
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null;

function merge(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, JsonValue> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value;
  }
  return merged;
}
