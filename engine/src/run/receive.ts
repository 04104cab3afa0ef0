import { backoff } from "../decide/backoff.ts";
import { classify } from "../decide/classify.ts";
import { type Catalogue, type Envelope, readEnvelope, workSchema, workType } from "../decide/envelope.ts";
import type { Fault } from "../decide/fault.ts";
import type { JsonSchema } from "../decide/json-schema.ts";
import type { Emit } from "../decide/signal.ts";
import { cut, storable, storableJson } from "../decide/text.ts";
import { readTraceparent } from "../decide/trace.ts";
import { type RetryPolicy, retryPolicies } from "../define/retry.ts";
import type { Delivery, Receipt } from "../dispatch/dispatch.ts";
import { type Database, isConnectionError, isServerUnwell } from "../store/database.ts";
import { findSubjects } from "../store/documents.ts";
import { quarantine } from "../store/quarantine.ts";
import { type Clock, sleep } from "./clock.ts";
import type { Graph } from "./graph.ts";

/** An event from outside, and its handler. */
export interface Receiver {
  /** The type of the event. */
  readonly type: string;
  /** Schema of the data. An event with a `document_id` is about a document of `collection`. */
  readonly data: JsonSchema;
  /** The collection of the documents that come from the event. */
  readonly collection: string;
  /** Accepts the content of the event; must be idempotent. `request` is the event's id, `traceparent` the sender's span. */
  accept(
    data: Readonly<Record<string, unknown>>,
    about: { readonly request: string; readonly signal: AbortSignal; readonly traceparent?: string },
  ): Promise<{ readonly inserted: number; readonly changed: number }>;
}

export interface ReceiveParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly graph: Graph;
  readonly emit: Emit;
  readonly receivers: readonly Receiver[];
  readonly notFoundYet: (stage: number) => RetryPolicy;
  /** Wakes a stage; the receipt is acknowledged after the resulting commit. */
  readonly hear: (stage: number, receipt: Receipt) => void;
}

/** Handler of a broker's deliveries. Every delivery is handled or set aside; none stops the handler. */
export interface Reception {
  delivery(delivery: Delivery): void;
  /** Returns deliveries still waited for. */
  stop(): void;
}

export function openReception(parts: ReceiveParts): Reception {
  const { clock, graph, emit, db } = parts;
  const stop = new AbortController();
  const receivers = new Map(parts.receivers.map((one) => [one.type, one]));
  const catalogue: Catalogue = new Map([
    [workType, workSchema],
    ...parts.receivers.map((one) => [one.type, one.data] as const),
  ]);

  async function deal(delivery: Delivery): Promise<void> {
    const reading = readEnvelope(delivery.body, { catalogue, encoding: delivery.encoding });
    if (reading.kind === "bad") return await setAside(delivery, reading.reason, reading.detail);
    const { envelope } = reading;
    if (envelope.event_type === workType) await hearNews(delivery, envelope);
    // Our own events return to us through somebody's binding; their content is known already.
    else if (delivery.own) delivery.done();
    else await takeIn(delivery, envelope, receivers.get(envelope.event_type) as Receiver);
  }

  async function hearNews(delivery: Delivery, { data }: Envelope): Promise<void> {
    const { stage, document_ids: ids } = data as { stage: string; document_ids?: readonly string[] };
    const plan = graph.stages.find((one) => one.number === delivery.stage);
    if (!plan || plan.stage.name !== stage)
      return await setAside(delivery, "unknown-stage", `stage "${stage}" has no queue "${delivery.queue}"`);
    const seen = ids ? await visible(plan.stage.reads.name, ids, [plan.number]) : true;
    if (seen === true) parts.hear(plan.number, delivery);
    else await setAside(delivery, "unknown-document", `${plan.stage.reads.name} has no document "${seen}"`);
  }

  async function takeIn(delivery: Delivery, envelope: Envelope, receiver: Receiver): Promise<void> {
    const { event_id: request, event_type: type } = envelope;
    const { document_id: id } = envelope.data;
    if (typeof id === "string") {
      const stages = readersOf(receiver.collection);
      const seen = await visible(receiver.collection, [id], stages);
      if (seen !== true)
        return await setAside(delivery, "unknown-document", `${receiver.collection} has no document "${id}"`);
      for (const stage of stages) parts.hear(stage, { done: () => undefined, again: () => undefined });
      emit({ kind: "event.received", type, eventId: request, effect: "known" });
      return delivery.done();
    }
    const about = { request, signal: stop.signal, ...senderOf(delivery) };
    const outcome = await persevere(() => receiver.accept(envelope.data, about));
    if ("fault" in outcome) return await setAside(delivery, outcome.fault.code, outcome.fault.message);
    const { inserted, changed } = outcome.value;
    emit({
      kind: "event.received",
      type,
      eventId: request,
      effect: inserted + changed > 0 ? "accepted" : "known",
    });
    delivery.done();
  }

  const readersOf = (collection: string): number[] => {
    const { number, collectors } = graph.collection(collection);
    return [...(graph.flow.readers.get(number) ?? []), ...collectors.map((one) => one.stage)];
  };

  /** An event may overtake its document. True, or the first id that stayed invisible within the policy. */
  async function visible(
    collection: string,
    ids: readonly string[],
    stages: readonly number[],
  ): Promise<true | string> {
    const { number } = graph.collection(collection);
    const policy = stages[0] === undefined ? anyPolicy : parts.notFoundYet(stages[0]);
    for (let tries = 1; ; tries++) {
      const found = await anyhow(() => findSubjects(db, number, ids));
      const there = new Set(found.map((one) => one.id));
      const missing = ids.find((id) => !there.has(id));
      if (missing === undefined) return true;
      if (tries >= policy.attemptsMax) return missing;
      await rest(backoff(policy, tries, clock.random));
    }
  }

  /** Retries transient failures a few times; a permanent failure is a fault. A lost database is waited for. */
  async function persevere<T>(act: () => Promise<T>): Promise<{ value: T } | { fault: Fault }> {
    const policy = anyPolicies.transient;
    for (let tries = 1; ; tries++) {
      try {
        return { value: await anyhow(act) };
      } catch (error) {
        if (stop.signal.aborted) throw error;
        const fault = classify(error);
        if (fault.kind === "permanent" || tries >= policy.attemptsMax) return { fault };
        await rest(backoff(policy, tries, clock.random));
      }
    }
  }

  /** Only the database is waited for without limit: without it nothing can be decided. */
  async function anyhow<T>(act: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await act();
      } catch (error) {
        if (!isConnectionError(error) && !isServerUnwell(error)) throw error;
        await rest(Math.min(2_000, 50 * 2 ** Math.min(tries, 6)));
      }
    }
  }

  async function rest(ms: number): Promise<void> {
    await sleep(clock, ms, stop.signal);
    if (stop.signal.aborted) throw new Error("The engine stops.");
  }

  async function setAside(delivery: Delivery, reason: string, detail: string): Promise<void> {
    const { queue, body } = delivery;
    const properties = JSON.stringify(storableJson(delivery.properties).value);
    const row = { queue, reason, detail: cut(storable(detail), 1_000), body, properties };
    await anyhow(() => quarantine(db, row, clock.now()));
    emit({ kind: "delivery.quarantined", queue, reason, detail: row.detail });
    delivery.done();
  }

  return {
    delivery: (delivery) =>
      void deal(delivery).catch(() => {
        // A failing delivery must not come back in a loop without a pause.
        if (stop.signal.aborted) delivery.again();
        else clock.after(againMs, delivery.again);
      }),
    stop: () => stop.abort(),
  };
}

/** The sender's span, from the headers of a delivery. */
function senderOf({ properties }: Delivery): { readonly traceparent?: string } {
  const headers = properties.headers as Readonly<Record<string, unknown>> | undefined;
  const traceparent = headers?.traceparent;
  return typeof traceparent === "string" && readTraceparent(traceparent) ? { traceparent } : {};
}

const againMs = 1_000;
const anyPolicies = retryPolicies({});
const anyPolicy = anyPolicies["not-found-yet"];
