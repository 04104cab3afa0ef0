/** The part of JSON Schema used for our events; services in other languages read the same files. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean" | "null";
  readonly const?: string | number | boolean | null;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly format?: "uuid" | "date-time";
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** False: unknown fields are refused. */
  readonly additionalProperties?: false;
  readonly anyOf?: readonly JsonSchema[];
}

/** The first problem of a value, as one sentence; null: none. */
export function complaintAbout(schema: JsonSchema, value: unknown, at = "it"): string | null {
  if (schema.type && !isOfType(schema.type, value)) return `${at} must be ${aType(schema.type)}`;
  if (schema.const !== undefined && value !== schema.const)
    return `${at} must be ${JSON.stringify(schema.const)}`;
  if (schema.enum && !schema.enum.includes(value as never))
    return `${at} must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`;
  const complaint =
    typeof value === "string"
      ? aboutText(schema, value, at)
      : typeof value === "number"
        ? aboutNumber(schema, value, at)
        : Array.isArray(value)
          ? aboutItems(schema, value, at)
          : typeof value === "object" && value !== null && aboutFields(schema, value, at);
  return complaint || aboutChoices(schema, value, at);
}

function isOfType(type: NonNullable<JsonSchema["type"]>, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      // A larger integer was rounded when parsed, and its value is lost.
      return Number.isSafeInteger(value);
    default:
      return typeof value === type;
  }
}

const aType = (type: string): string =>
  type === "null" ? "null" : `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;

function aboutNumber({ minimum, maximum }: JsonSchema, value: number, at: string): string | null {
  if (minimum !== undefined && value < minimum) return `${at} must be at least ${minimum}`;
  if (maximum !== undefined && value > maximum) return `${at} must be at most ${maximum}`;
  return null;
}

const formats = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
} as const;

function aboutText(schema: JsonSchema, value: string, at: string): string | null {
  const { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (format && !formats[format].test(value))
    return `${at} must be a ${format === "uuid" ? "UUID" : "date and time"}`;
  if (pattern && !new RegExp(pattern, "u").test(value)) return `${at} must look like ${pattern}`;
  if (value.length < minLength) return `${at} must not be ${value === "" ? "empty" : "so short"}`;
  if (value.length > maxLength) return `${at} must be at most ${maxLength} characters long`;
  return null;
}

function aboutItems(schema: JsonSchema, value: readonly unknown[], at: string): string | null {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minItems) return `${at} must have at least ${minItems} items`;
  if (value.length > maxItems) return `${at} must have at most ${maxItems} items`;
  if (!items) return null;
  for (const [index, item] of value.entries()) {
    const complaint = complaintAbout(items, item, `${at}[${index}]`);
    if (complaint) return complaint;
  }
  return null;
}

function aboutFields(schema: JsonSchema, value: object, at: string): string | null {
  const inside = at === "it" ? "" : `${at}.`;
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name)) return `${inside}${name} is missing`;
  const known = schema.properties ?? {};
  if (schema.additionalProperties === false) {
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(known, name));
    if (unknown !== undefined)
      return `${at} has no field "${unknown.slice(0, 60)}"; there are: ${Object.keys(known).join(", ")}`;
  }
  for (const [name, field] of Object.entries(known)) {
    if (!Object.hasOwn(value, name)) continue;
    const complaint = complaintAbout(field, (value as Record<string, unknown>)[name], `${inside}${name}`);
    if (complaint) return complaint;
  }
  return null;
}

/** If no choice fits, the problems of all choices. */
function aboutChoices({ anyOf }: JsonSchema, value: unknown, at: string): string | null {
  if (!anyOf) return null;
  const complaints = anyOf.map((one) => complaintAbout(one, value, at));
  return complaints.includes(null) ? null : complaints.join(", or ");
}
