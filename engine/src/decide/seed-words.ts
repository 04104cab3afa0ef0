import { workType } from "./envelope.ts";
import type { DeathReason } from "./settle.ts";

// Words of the systems that Headway replaces, each with our word. Commands accept these words as aliases; documents,
// events, dead letters and metrics show them beside ours. The variables `RETRY_*` are in `define/retry-variables.ts`.

/** Statuses of documents. `processing` and `failed` are waiting: no attempt leaves a state behind. */
export const seedStatuses = {
  pending: "waiting",
  processing: "claimed",
  failed: "waiting",
  processed: "done",
  completed: "done",
  failed_max_retries: "dead",
} as const;

export type SeedStatus = keyof typeof seedStatuses;

/** Fields of the seeds' documents, by collection: a chunk says whether it has a vector. */
export const seedDocumentFields = (
  collection: string,
  state: string,
): { readonly embedding_generated?: boolean } =>
  collection === "chunks" ? { embedding_generated: state === "done" } : {};

/** Reasons of a death: as the label of a metric, and as the `abandoned_reason` of a dead letter. */
export const seedDeathReasons: Readonly<
  Record<DeathReason, { readonly label: string; readonly abandoned: string }>
> = {
  permanent: { label: "permanent", abandoned: "non_retryable_error" },
  exhausted: { label: "max_attempts", abandoned: "max_attempts_exceeded" },
  expired: { label: "ttl_exceeded", abandoned: "ttl_exceeded" },
  "worker-lost": { label: "worker_lost", abandoned: "worker_lost" },
  cancelled: { label: "cancelled", abandoned: "cancelled" },
};

/** A dead letter as far as the seeds' fields need it. */
export interface Failure {
  readonly stage: string;
  /** Null for a group. */
  readonly collection: string | null;
  readonly document: string;
  readonly reason: string;
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
}

/** `chunks` → `chunk_ids`, `summaries` → `summary_ids`; a group → `document_ids`. */
export const idsField = (collection: string | null): string =>
  `${(collection ?? "documents").replace(/ies$/, "y").replace(/s$/, "")}_ids`;

/** The same for each announcement of a failure: the stage and the document. */
export const idempotencyKey = ({ stage, document }: Pick<Failure, "stage" | "document">): string =>
  `${stage}-${document}`;

/** Fields of the seeds' failed events, beside our own. */
export const seedFailedFields = (failure: Failure, failedAt: Date) => ({
  [idsField(failure.collection)]: [failure.document],
  error_type: failure.code,
  retry_count: failure.attempts,
  failed_at: failedAt.toISOString(),
  idempotency_key: idempotencyKey(failure),
});

/** Fields of the seeds' dead letters, beside our own. `original_event` is an event in our format: which stage is owed for which document. */
export const seedLetterFields = (failure: Failure) => ({
  original_event: {
    event_type: workType,
    data: { stage: failure.stage, document_ids: [failure.document] },
  },
  idempotency_key: idempotencyKey(failure),
  attempt_count: failure.attempts,
  last_error: `${failure.code}: ${failure.message}`,
  error_type: failure.code,
  abandoned_reason: seedDeathReasons[failure.reason as DeathReason]?.abandoned ?? failure.reason,
  service_name: failure.stage,
});
