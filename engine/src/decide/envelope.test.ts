import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bodyMax,
  doneSchema,
  type Envelope,
  envelopeSchema,
  eventId,
  failedType,
  readEnvelope,
  routingKeyOf,
  schemaOf,
  toEnvelope,
  traceparentOf,
  workEnvelope,
  workSchema,
  workType,
} from "./envelope.ts";
import { complaintAbout } from "./json-schema.ts";
import { attemptSpanOf } from "./trace.ts";

const catalogue = new Map([
  ["PagesSplit", doneSchema],
  [workType, workSchema],
]);
const told: Envelope = {
  event_type: "PagesSplit",
  event_id: "3f0c8a52-6d0a-4d55-9a3d-0f5f6b0f8a11",
  timestamp: "2026-11-15T10:00:00.000Z",
  version: "1.0",
  data: { stage: "splitting", document_id: "letter-1", outputs: 2 },
};
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const reasonOf = (body: Buffer, encoding?: string) => {
  const reading = readEnvelope(body, { catalogue, encoding });
  return reading.kind === "bad" ? reading.reason : null;
};

describe("readEnvelope", () => {
  it("gives back what was told", () => {
    expect(readEnvelope(bytes(told), { catalogue })).toEqual({ kind: "event", envelope: told });
  });

  it.each<[string, Buffer, string | undefined, string]>([
    ["nothing", Buffer.alloc(0), undefined, "not-json"],
    ["half of it", bytes(told).subarray(0, 40), undefined, "not-json"],
    ["Latin-1", Buffer.from('{"event_type":"é"}', "latin1"), undefined, "not-utf8"],
    ["UTF-16", Buffer.from(JSON.stringify(told), "utf16le"), undefined, "not-json"],
    ["packed", bytes(told), "gzip", "encoded"],
    ["a list", bytes([told]), undefined, "bad-envelope"],
    ["no id", bytes({ ...told, event_id: undefined }), undefined, "bad-envelope"],
    ["an unknown type", bytes({ ...told, event_type: "PagesLost" }), undefined, "unknown-type"],
    [
      "a type that every object has",
      bytes({ ...told, event_type: "constructor" }),
      undefined,
      "unknown-type",
    ],
    ["a later version", bytes({ ...told, version: "2.0" }), undefined, "unknown-version"],
    ["wrong data", bytes({ ...told, data: { stage: "splitting" } }), undefined, "bad-data"],
    ["too much", Buffer.alloc(bodyMax + 1, 0x20), undefined, "too-large"],
  ])("knows %s", (_, body, encoding, reason) => {
    expect(reasonOf(body, encoding)).toBe(reason);
  });

  it("reads a later minor version and a byte order mark", () => {
    expect(reasonOf(bytes({ ...told, version: "1.7", more: "of it" }))).toBeNull();
    expect(reasonOf(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes(told)]))).toBeNull();
  });

  it("never throws, whatever the bytes and the fields", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (body) => {
        expect(readEnvelope(Buffer.from(body), { catalogue }).kind).toBe("bad");
      }),
    );
    const field = fc.constantFrom(...Object.keys(told));
    fc.assert(
      fc.property(field, fc.jsonValue(), (name, value) => {
        expect(["event", "bad"]).toContain(
          readEnvelope(bytes({ ...told, [name]: value }), { catalogue }).kind,
        );
      }),
    );
  });
});

describe("what is told", () => {
  const row = {
    key: "PagesSplit/splitting/7/aa",
    type: "PagesSplit",
    data: told.data,
    request: "0f2f6f52-6d0a-4d55-9a3d-0f5f6b0f8a11",
    correlation_id: "req_0f2f6f52-6d0a-4d55-9a3d-0f5f6b0f8a11.stage_splitting.retry_0",
    at: new Date("2026-11-15T10:00:00Z"),
  };

  it("can be read again, and fits the schema that others are given", () => {
    const envelope = toEnvelope(row);
    expect(readEnvelope(bytes(envelope), { catalogue })).toEqual({ kind: "event", envelope });
    expect(complaintAbout(schemaOf("PagesSplit", doneSchema), envelope)).toBeNull();
    const news = workEnvelope("splitting", row.request, row.at);
    expect(complaintAbout(schemaOf(workType, workSchema), news)).toBeNull();
  });

  it("has the same id for the same fact, another for another, and it is a UUID", () => {
    expect(toEnvelope(row).event_id).toBe(toEnvelope({ ...row, at: new Date(0) }).event_id);
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(eventId(one) === eventId(other)).toBe(one === other);
        expect(complaintAbout(envelopeSchema.properties?.event_id ?? {}, eventId(one))).toBeNull();
      }),
    );
  });

  it("belongs to the trace of its request, and to the span of its attempt", () => {
    const { event_id: id, ...envelope } = toEnvelope(row);
    const { document_id } = row.data as { document_id: string };
    const span = attemptSpanOf(row.correlation_id, document_id);
    expect(traceparentOf(toEnvelope(row))).toBe(`00-0f2f6f526d0a4d559a3d0f5f6b0f8a11-${span}-01`);
    expect(traceparentOf({ ...envelope, event_id: id, data: {} })).toBe(
      `00-0f2f6f526d0a4d559a3d0f5f6b0f8a11-${id.replaceAll("-", "").slice(0, 16)}-01`,
    );
    expect(traceparentOf(told)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it.each([
    ["ArchiveIngested", "archive.ingested"],
    ["JSONParsed", "json.parsed"],
    ["EmbeddingGenerationFailed", "embedding.generation.failed"],
    ["ParsingFailed", "parsing.failed"],
    ["PagesSplit", "pages.split"],
  ])("%s travels as %s", (type, key) => {
    expect(routingKeyOf(type)).toBe(key);
  });

  it("has a name for every dead letter", () => {
    expect(failedType({ failed: "SplittingFailed" })).toBe("SplittingFailed");
    expect(failedType({})).toBe("StageFailed");
  });
});
