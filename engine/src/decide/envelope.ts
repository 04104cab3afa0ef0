import { createHash } from "node:crypto";
import { complaintAbout, type JsonSchema } from "./json-schema.ts";
import { correlationId } from "./signal.ts";
import { attemptSpanOf, hexOf, toTraceparent, traceIdOf } from "./trace.ts";

/** Transport format of events: the same fields for all, and `data` by type. */
export interface Envelope {
  readonly event_type: string;
  /** The same fact has the same id in every announcement: consumers dedupe by id. */
  readonly event_id: string;
  readonly timestamp: string;
  readonly version: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** `req_<uuid>.stage_<name>.retry_<n>`. */
  readonly correlation_id?: string;
  /** The original request of a document; for an event from outside, the event's id. */
  readonly causation_id?: string;
}

export const eventVersion = "1.0";

export const envelopeSchema: JsonSchema = {
  type: "object",
  required: ["event_type", "event_id", "timestamp", "version", "data"],
  properties: {
    event_type: { type: "string", minLength: 1, maxLength: 200 },
    event_id: { type: "string", format: "uuid" },
    timestamp: { type: "string", format: "date-time" },
    version: { type: "string", pattern: "^\\d+\\.\\d+$" },
    data: { type: "object" },
    correlation_id: { type: "string", maxLength: 1_000 },
    causation_id: { type: "string", maxLength: 1_000 },
  },
};

const aboutDocument: NonNullable<JsonSchema["properties"]> = {
  stage: { type: "string", minLength: 1, description: "The stage that tells it." },
  document_id: { type: "string", minLength: 1, description: "The document, or the group, it is about." },
};

/** A stage is done with a document. */
export const doneSchema: JsonSchema = {
  type: "object",
  required: ["stage", "document_id", "outputs"],
  properties: {
    ...aboutDocument,
    outputs: { type: "integer", minimum: 0, description: "How many documents came of it." },
  },
};

/** A document is dead at a stage and waits for a person. */
export const failedSchema: JsonSchema = {
  type: "object",
  required: ["stage", "document_id", "reason", "error_code", "error_kind", "error_message", "attempt_count"],
  properties: {
    ...aboutDocument,
    reason: {
      type: "string",
      description: "Why there is no further attempt: permanent, exhausted, expired …",
    },
    error_code: { type: "string" },
    error_kind: { type: "string" },
    error_message: { type: "string", maxLength: 1_100 },
    attempt_count: { type: "integer", minimum: 0 },
    error_type: { type: "string", description: "The same as error_code." },
    retry_count: { type: "integer", minimum: 0, description: "The same as attempt_count." },
    failed_at: { type: "string", format: "date-time" },
    idempotency_key: {
      type: "string",
      maxLength: 1_400,
      description: "Stage and document: the same for each announcement of this failure.",
    },
  },
};

/** Dead letters are always announced, also by stages without a name for the event. */
export const failedType = ({ failed }: { readonly failed?: string }): string => failed ?? "StageFailed";

/** Something may be due for a stage. Carries no truth: the receiver asks the database. */
export const workType = "WorkOwed";
export const workSchema: JsonSchema = {
  type: "object",
  required: ["stage"],
  properties: {
    stage: { type: "string", minLength: 1 },
    document_ids: {
      type: "array",
      minItems: 1,
      maxItems: 1_000,
      items: { type: "string", minLength: 1 },
      description: "Given by others than Headway: documents that should be there, or will be in a moment.",
    },
  },
};

/** The schema of an event type: the envelope with the schema of its data. */
export const schemaOf = (type: string, data: JsonSchema): JsonSchema => ({
  ...envelopeSchema,
  properties: { ...envelopeSchema.properties, event_type: { const: type }, data },
});

/** Data schemas of all known event types. */
export type Catalogue = ReadonlyMap<string, JsonSchema>;

export type BadReason =
  | "too-large"
  | "encoded"
  | "not-utf8"
  | "not-json"
  | "bad-envelope"
  | "unknown-type"
  | "unknown-version"
  | "bad-data";

export type Reading =
  | { readonly kind: "event"; readonly envelope: Envelope }
  | { readonly kind: "bad"; readonly reason: BadReason; readonly detail: string };

/** Events carry ids and short texts; larger messages are not for us. */
export const bodyMax = 1_048_576;

/** Reads a broker's message; for any input, the answer is an event or the reason why not. */
export function readEnvelope(
  body: Buffer,
  { catalogue, encoding }: { readonly catalogue: Catalogue; readonly encoding?: string | undefined },
): Reading {
  const bad = (reason: BadReason, detail: string): Reading => ({ kind: "bad", reason, detail });
  if (body.length > bodyMax) return bad("too-large", `it has ${body.length} bytes, and ${bodyMax} are read`);
  if (encoding && !/^(utf-?8|identity)$/i.test(encoding))
    return bad("encoded", `its encoding is "${encoding.slice(0, 100)}", and only UTF-8 is read`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return bad("not-utf8", "its bytes are not UTF-8");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return bad("not-json", (error as Error).message.slice(0, 300));
  }
  const complaint = complaintAbout(envelopeSchema, value);
  if (complaint) return bad("bad-envelope", complaint);
  const envelope = value as Envelope;
  const data = catalogue.get(envelope.event_type);
  if (!data) return bad("unknown-type", `nobody here knows the type "${envelope.event_type}"`);
  if (!isSameMajor(envelope.version))
    return bad("unknown-version", `version ${envelope.version} is not known here, only ${eventVersion}`);
  const wrong = complaintAbout(data, envelope.data, "data");
  return wrong ? bad("bad-data", wrong) : { kind: "event", envelope };
}

const isSameMajor = (version: string): boolean => version.split(".")[0] === eventVersion.split(".")[0];

/** An event of the outbox as an envelope. */
export function toEnvelope(event: {
  readonly key: string;
  readonly type: string;
  readonly data: object;
  readonly request: string;
  readonly correlation_id: string;
  readonly at: Date;
}): Envelope {
  return {
    event_type: event.type,
    event_id: eventId(event.key),
    timestamp: event.at.toISOString(),
    version: eventVersion,
    data: event.data as Envelope["data"],
    correlation_id: event.correlation_id,
    causation_id: event.request,
  };
}

/** A UUID derived from the key (version 8: our own rule). */
export function eventId(key: string): string {
  const hex = createHash("sha256").update(key).digest("hex");
  const variant = "89ab"[Number.parseInt(hex[16] as string, 16) % 4];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

/** `JSONParsed` → `json.parsed`, `EmbeddingGenerationFailed` → `embedding.generation.failed`. */
export const routingKeyOf = (type: string): string =>
  type
    .replace(/([a-z0-9])([A-Z])/g, "$1.$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1.$2")
    .toLowerCase();

/** W3C trace context: the request is the trace; the span is the attempt that announces, else the event. */
export function traceparentOf({
  causation_id: request = "",
  event_id: id,
  correlation_id,
  data,
}: Envelope): string {
  const attempt =
    correlation_id !== undefined && typeof data.document_id === "string"
      ? attemptSpanOf(correlation_id, data.document_id)
      : null;
  return toTraceparent({ traceId: traceIdOf(request), spanId: attempt ?? hexOf(id, 16) });
}

/** Notification of possible work for a stage. */
export const workEnvelope = (stage: string, id: string, at: Date): Envelope => ({
  event_type: workType,
  event_id: id,
  timestamp: at.toISOString(),
  version: eventVersion,
  data: { stage },
  correlation_id: correlationId(id, stage, 0),
  causation_id: id,
});
