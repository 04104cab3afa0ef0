import type { Fault } from "./fault.ts";
import type { DeathReason } from "./settle.ts";

/** An act or observation of the engine. The engine never logs: it emits signals, and `watch/` informs people. */
export type Signal = { readonly at: Date } & (
  | { readonly kind: "worker.started"; readonly worker: number; readonly stages: readonly string[] }
  /** `released`: attempts not ended within the grace period. */
  | { readonly kind: "worker.stopped"; readonly worker: number; readonly released: number }
  | {
      readonly kind: "worker.evicted";
      readonly worker: number;
      readonly because: string;
      readonly freed: number;
    }
  /** Our own worker was evicted by another; it starts again under a new number. */
  | { readonly kind: "worker.lost"; readonly worker: number; readonly because: string }
  | ({
      readonly kind: "task.done";
      readonly outputs: number;
      readonly durationMs: number;
      /** Time since the first attempt, for a retried task. */
      readonly sinceFirstMs?: number;
      /** Time since the acceptance, for the first result of a stage without a stage after it. */
      readonly sinceAcceptedMs?: number;
      /** Other requests with members in the group, for a group. */
      readonly requests?: readonly string[];
    } & OfTask)
  /** A done result that its stage did not expect. */
  | ({ readonly kind: "task.unexpected"; readonly finding: string; readonly outputs: number } & OfTask)
  /** The marker was unchanged: nothing was run. */
  | ({ readonly kind: "task.skipped" } & OfTask)
  | ({
      readonly kind: "task.retried";
      readonly fault: Fault;
      readonly nextAt: Date;
      readonly inPlace: boolean;
      /** Attempts left by the policy, the next one included. */
      readonly left: number;
      readonly durationMs: number;
    } & OfTask)
  | ({
      readonly kind: "task.held";
      readonly dependency: string;
      readonly fault: Fault;
      readonly durationMs: number;
    } & OfTask)
  | ({ readonly kind: "task.waiting"; readonly reason: string; readonly nextAt: Date } & OfTask)
  | ({ readonly kind: "task.released" } & OfTask)
  | ({
      readonly kind: "task.died";
      readonly reason: DeathReason;
      readonly fault: Fault;
      readonly collection: string;
      /** 0: no attempt was made, e.g. because the policy was lowered. */
      readonly durationMs: number;
    } & OfTask)
  /** A late result: its claim was gone. */
  | {
      readonly kind: "commit.refused";
      readonly stage: string;
      readonly worker: number;
      readonly tasks: number;
    }
  | { readonly kind: "commit.failed"; readonly stage: string; readonly fault: Fault; readonly tasks: number }
  | {
      readonly kind: "document.conflict";
      readonly stage: string;
      readonly collection: string;
      readonly documentId: string;
    }
  /** NUL bytes or lone surrogates were replaced on the way in. */
  | {
      readonly kind: "document.normalised";
      readonly collection: string;
      readonly documentId: string;
      readonly replaced: number;
    }
  | {
      readonly kind: "documents.accepted";
      readonly collection: string;
      readonly request: string;
      readonly inserted: number;
      readonly changed: number;
      readonly unchanged: number;
      readonly conflicts: number;
      readonly durationMs: number;
      /** The caller's span as W3C trace context, if given. */
      readonly traceparent?: string;
    }
  | { readonly kind: "documents.removed"; readonly documents: number }
  | { readonly kind: "batch.halved"; readonly stage: string; readonly from: number; readonly fault: Fault }
  | { readonly kind: "breaker.opened"; readonly dependency: string; readonly fault: Fault }
  | { readonly kind: "breaker.probed"; readonly dependency: string; readonly nextAt: Date }
  | { readonly kind: "breaker.closed"; readonly dependency: string; readonly downMs: number }
  | {
      readonly kind: "policy.refused";
      readonly stage: string;
      readonly faultKind: string;
      readonly problem: string;
    }
  | { readonly kind: "events.relayed"; readonly events: number }
  /** No queue matches the events. */
  | { readonly kind: "events.unrouted"; readonly events: number }
  | {
      readonly kind: "event.received";
      readonly type: string;
      readonly eventId: string;
      /** New, or known before and so without effect. */
      readonly effect: "accepted" | "known";
    }
  | {
      readonly kind: "delivery.quarantined";
      readonly queue: string;
      readonly reason: string;
      readonly detail: string;
    }
  /** Notification of work already done or claimed elsewhere: repeated, late or reordered. */
  | { readonly kind: "news.stale"; readonly stage: string; readonly notices: number }
  | { readonly kind: "broker.lost"; readonly fault: Fault }
  | { readonly kind: "broker.back"; readonly downMs: number }
  | {
      readonly kind: "sweep.finished";
      readonly owed: number;
      readonly freed: number;
      readonly died: number;
      readonly pulledIn: number;
      readonly durationMs: number;
      readonly collections: readonly SweptCollection[];
    }
  | { readonly kind: "sweep.failed"; readonly fault: Fault; readonly durationMs: number }
  /** One attempt to send a notice about an alert. */
  | {
      readonly kind: "alert.delivery";
      readonly channel: string;
      readonly notice: string;
      readonly outcome: "sent" | "failed" | "given_up";
      /** Null when sent. */
      readonly problem: string | null;
    }
  /** Spans that the collector of traces did not take. */
  | { readonly kind: "spans.dropped"; readonly spans: number; readonly problem: string }
  | { readonly kind: "database.lost"; readonly fault: Fault }
  | { readonly kind: "database.back"; readonly downMs: number }
);

export interface OfTask {
  readonly stage: string;
  /** The document's id, or the group's key. */
  readonly documentId: string;
  readonly subject: number;
  readonly correlationId: string;
  readonly attempt: number;
}

/** Effects of a sweep on the documents of a collection, and their state afterwards. */
export interface SweptCollection {
  readonly collection: string;
  /** Owed, freed or pulled in: due for an attempt. */
  readonly requeued: number;
  /** Failed before, and left alone until the next attempt is due. */
  readonly skippedBackoff: number;
  /** Past their limit. */
  readonly died: number;
  /** Owed for longer than allowed, for any reason. */
  readonly stuck: number;
  /** Open dead letters. */
  readonly failed: number;
}

export type SignalKind = Signal["kind"];
// Distributes over the union, so each kind keeps its own fields.
export type SignalBody = Signal extends infer S ? (S extends Signal ? Omit<S, "at"> : never) : never;
export type Emit = (signal: SignalBody) => void;

/** `req_<uuid>.stage_<name>.retry_<n>`: on every log line, fault, event and span. */
export const correlationId = (request: string, stage: string, retry: number): string =>
  `req_${request}.stage_${stage}.retry_${retry}`;
