import fc from "fast-check";
import type { Fault } from "../../engine/src/decide/fault.ts";
import type { Signal, SignalBody, SignalKind } from "../../engine/src/decide/signal.ts";

/** Arbitrary text: NUL bytes, lone surrogates, line ends and quotes included. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ maxLength: 60 }),
  fc.constantFrom("\0", "\ud800", 'line\nend "quoted"', "{", "%s %d %j", "", "ü🙂"),
);
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
const number = fc.nat(1_000_000);
const date = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") });

export const anyFault: fc.Arbitrary<Fault> = fc.record(
  {
    kind: fc.constantFrom("transient", "rate-limited", "not-found-yet", "permanent", "unknown"),
    code: text,
    message: text,
    fingerprint: fc.constantFrom("00aa", "11bb"),
    dependency: name,
    retryAfterMs: number,
    outage: fc.boolean(),
    stack: text,
    causes: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: ["kind", "code", "message", "fingerprint"] },
);

const ofTask = {
  stage: name,
  documentId: text,
  subject: number,
  correlationId: fc.uuid().map((uuid) => `req_${uuid}.stage_parsing.retry_0`),
  attempt: fc.integer({ min: 1, max: 20 }),
};
const fault = anyFault;
const deathReason = fc.constantFrom("permanent", "exhausted", "expired", "worker-lost" as const);

type Fields<Kind extends SignalKind> = Omit<Extract<SignalBody, { kind: Kind }>, "kind">;

/** Every kind of signal; the compiler rejects a missing kind. */
const fieldsOf: {
  [Kind in SignalKind]: { [Field in keyof Fields<Kind>]: fc.Arbitrary<Fields<Kind>[Field]> };
} = {
  "worker.started": { worker: number, stages: fc.array(name, { maxLength: 4 }) },
  "worker.stopped": { worker: number, released: number },
  "worker.evicted": { worker: number, because: text, freed: number },
  "worker.lost": { worker: number, because: text },
  "task.done": { ...ofTask, outputs: number, durationMs: number },
  "task.unexpected": { ...ofTask, finding: text, outputs: number },
  "task.skipped": ofTask,
  "task.retried": {
    ...ofTask,
    fault,
    nextAt: date,
    inPlace: fc.boolean(),
    left: fc.nat(9),
    durationMs: number,
  },
  "task.held": { ...ofTask, dependency: name, fault, durationMs: number },
  "task.waiting": { ...ofTask, reason: text, nextAt: date },
  "task.released": ofTask,
  "task.died": { ...ofTask, reason: deathReason, fault, collection: name, durationMs: number },
  "spans.dropped": { spans: number, problem: text },
  "commit.refused": { stage: name, worker: number, tasks: number },
  "commit.failed": { stage: name, fault, tasks: number },
  "document.conflict": { stage: name, collection: name, documentId: text },
  "document.normalised": { collection: name, documentId: text, replaced: number },
  "documents.accepted": {
    collection: name,
    request: fc.uuid(),
    inserted: number,
    changed: number,
    unchanged: number,
    conflicts: number,
    durationMs: number,
  },
  "documents.removed": { documents: number },
  "batch.halved": { stage: name, from: number, fault },
  "breaker.opened": { dependency: name, fault },
  "breaker.probed": { dependency: name, nextAt: date },
  "breaker.closed": { dependency: name, downMs: number },
  "policy.refused": { stage: name, faultKind: text, problem: text },
  "events.relayed": { events: number },
  "events.unrouted": { events: number },
  "event.received": { type: name, eventId: fc.uuid(), effect: fc.constantFrom("accepted", "known" as const) },
  "delivery.quarantined": { queue: name, reason: name, detail: text },
  "news.stale": { stage: name, notices: number },
  "broker.lost": { fault },
  "broker.back": { downMs: number },
  "sweep.finished": {
    owed: number,
    freed: number,
    died: number,
    pulledIn: number,
    durationMs: number,
    collections: fc.array(
      fc.record({
        collection: name,
        requeued: number,
        skippedBackoff: number,
        died: number,
        stuck: number,
        failed: number,
      }),
    ),
  },
  "alert.delivery": {
    channel: name,
    notice: name,
    outcome: fc.constantFrom("sent", "failed", "given_up" as const),
    problem: fc.option(text),
  },
  "sweep.failed": { fault, durationMs: number },
  "database.lost": { fault },
  "database.back": { downMs: number },
};

export const everySignalKind = Object.keys(fieldsOf) as SignalKind[];

export const anySignalOf = (kind: SignalKind): fc.Arbitrary<Signal> =>
  fc.record<object>({
    at: date,
    kind: fc.constant(kind),
    ...fieldsOf[kind],
  }) as unknown as fc.Arbitrary<Signal>;

export const anySignal: fc.Arbitrary<Signal> = fc.constantFrom(...everySignalKind).chain(anySignalOf);
