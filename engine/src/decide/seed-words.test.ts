import { describe, expect, it } from "vitest";
import { documentStates } from "../store/listing.ts";
import { failedSchema } from "./envelope.ts";
import { complaintAbout } from "./json-schema.ts";
import {
  idsField,
  seedDocumentFields,
  seedFailedFields,
  seedLetterFields,
  seedStatuses,
} from "./seed-words.ts";

const failure = {
  stage: "embedding",
  collection: "chunks",
  document: "chunk-123",
  reason: "exhausted",
  code: "http.timeout",
  message: "Connection to vectorstore timed out",
  attempts: 3,
};

describe("the words of the seeds", () => {
  it("mean one of our states each", () => {
    for (const state of Object.values(seedStatuses)) expect(documentStates).toContain(state);
  });

  it("say of a chunk, and of nothing else, whether it has a vector", () => {
    expect(seedDocumentFields("chunks", "done")).toEqual({ embedding_generated: true });
    expect(seedDocumentFields("chunks", "waiting")).toEqual({ embedding_generated: false });
    expect(seedDocumentFields("orders", "done")).toEqual({});
  });

  it("name the ids of a failed event by its collection", () => {
    expect(idsField("chunks")).toBe("chunk_ids");
    expect(idsField("summaries")).toBe("summary_ids");
    expect(idsField(null)).toBe("document_ids");
  });

  it("give a failed event the fields that a consumer of the seeds reads", () => {
    const fields = seedFailedFields(failure, new Date("2024-01-15T10:30:00Z"));
    expect(fields).toEqual({
      chunk_ids: ["chunk-123"],
      error_type: "http.timeout",
      retry_count: 3,
      failed_at: "2024-01-15T10:30:00.000Z",
      idempotency_key: "embedding-chunk-123",
    });
    const ours = { stage: "embedding", document_id: "chunk-123", reason: "exhausted", error_code: "x" };
    const data = { ...ours, error_kind: "transient", error_message: "x", attempt_count: 3, ...fields };
    expect(complaintAbout(failedSchema, data)).toBeNull();
  });

  it("give a dead letter its original event, key, last error, reason and service", () => {
    expect(seedLetterFields(failure)).toEqual({
      original_event: { event_type: "WorkOwed", data: { stage: "embedding", document_ids: ["chunk-123"] } },
      idempotency_key: "embedding-chunk-123",
      attempt_count: 3,
      last_error: "http.timeout: Connection to vectorstore timed out",
      error_type: "http.timeout",
      abandoned_reason: "max_attempts_exceeded",
      service_name: "embedding",
    });
    expect(seedLetterFields({ ...failure, reason: "expired" }).abandoned_reason).toBe("ttl_exceeded");
  });
});
