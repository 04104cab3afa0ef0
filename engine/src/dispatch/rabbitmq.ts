import type { ChannelModel, ConfirmChannel, ConsumeMessage, Options } from "amqplib";
import { classify } from "../decide/classify.ts";
import {
  type Catalogue,
  type Envelope,
  routingKeyOf,
  toEnvelope,
  traceparentOf,
  workEnvelope,
} from "../decide/envelope.ts";
import type { Fault } from "../decide/fault.ts";
import { complaintAbout } from "../decide/json-schema.ts";
import type { Emit } from "../decide/signal.ts";
import type { OutboxRow } from "../store/outbox.ts";
import { openBroker } from "./broker.ts";
import { type Delivery, type Dispatch, NotHandedOn } from "./dispatch.ts";
import { deathKeyOf, inboxQueue, queuesOf } from "./queues.ts";
import { TimedOut, type Timers, within } from "./timeout.ts";

export interface RabbitOptions {
  readonly url: string;
  readonly exchange: string;
  readonly name: string;
  readonly stages: readonly NewsStage[];
  /** Event types accepted from outside. */
  readonly receives: readonly string[];
  readonly catalogue: Catalogue;
}

/** The properties of a stage needed for notifications. */
export interface NewsStage {
  readonly number: number;
  readonly name: string;
  /** Event type of the stage's dead letters. */
  readonly failed: string;
  /** This process runs the stage. */
  readonly mine: boolean;
}

/** Time and chance for this room. */
export interface NewsClock {
  after(delayMs: number, ring: () => void): () => void;
  random(): number;
  now(): Date;
  uuid(): string;
}

export interface RabbitParts {
  /** Fallback while the broker is away, and for all notifications the broker never carries. */
  readonly otherwise: Dispatch;
  readonly clock: NewsClock;
  /** Receives a delivery, owned until `done` or `again` is called. */
  readonly delivery: (delivery: Delivery) => void;
  /** Called for a new or emptied broker: announces all due work again. */
  readonly forgotten: () => Promise<void>;
  readonly emit: Emit;
  /** Sets aside an event of ours that violates its schema and would block the outbox. */
  readonly unfit: (event: OutboxRow, complaint: string) => Promise<void>;
}

export const defaultExchange = "headway.events";
export const appId = "headway";

/** Each notification leads to one claim, so this is also the limit of claims in progress. */
const prefetch = 5;
const inboxPrefetch = 20;
const coalesceMs = 2;
const tasksPerNotice = 100;
const noticesMax = 8;
/** Limit for an unacknowledged delivery: brokers close the channel after half an hour. */
const patienceMs = 900_000;
/** Timeout for the broker's answers: a queue without a leader answers nothing on a connection that looks healthy. */
const answerMs = 10_000;

/**
 * Notifications by RabbitMQ: for each stage a queue for work and another for dead letters, plus an inbox for events
 * from outside. While the broker is away, notifications go through the database and events wait in the outbox.
 */
export async function startRabbitDispatch(options: RabbitOptions, parts: RabbitParts): Promise<Dispatch> {
  const { exchange, stages, catalogue } = options;
  const { otherwise, clock, emit } = parts;
  const byNumber = new Map(stages.map((one) => [one.number, one]));
  const waiting = new Map<number, number>();
  const unconfirmed = new Set<number>();
  const returned = new Set<string>();
  const answered = answeredBy(clock);
  let timer: (() => void) | null = null;
  let lostAt: Date | null = null;
  const told = new Set<string>();

  const broker = await openBroker({
    url: options.url,
    name: options.name,
    clock,
    async setUp(connection, channel, broken) {
      if (await answered(isForgotten(connection, exchange), "its exchange")) await parts.forgotten();
      await declare(channel, options, answered);
      channel.on("return", ({ properties }) => returned.add(String(properties.messageId)));
      await consume(connection, options, { ...parts, answered }, broken);
    },
    lost(error) {
      const why = String((error as Error).message);
      // Signals the loss once, then once more for each distinct timeout.
      if (lostAt && (!(error instanceof TimedOut) || told.has(why))) return;
      told.add(why);
      lostAt ??= clock.now();
      emit({ kind: "broker.lost", fault: faultOf(error) });
    },
    back() {
      if (!lostAt) return;
      emit({ kind: "broker.back", downMs: clock.now().getTime() - lostAt.getTime() });
      lostAt = null;
      told.clear();
    },
  });

  function flush(): void {
    timer = null;
    for (const [stage, tasks] of waiting) {
      // One unconfirmed send per stage: later announcements are coalesced until the confirm.
      if (unconfirmed.has(stage)) continue;
      waiting.delete(stage);
      tell(stage, tasks);
    }
  }
  function tell(number: number, tasks: number): void {
    const channel = broker.channel();
    const stage = byNumber.get(number);
    if (!channel || !stage) {
      otherwise.announce([number], tasks);
      return;
    }
    const notices = Math.min(noticesMax, Math.max(1, Math.ceil(tasks / tasksPerNotice)));
    unconfirmed.add(number);
    const sending = Array.from({ length: notices }, () =>
      send(channel, `work.${stage.name}`, workEnvelope(stage.name, clock.uuid(), clock.now())),
    );
    void confirmed(sending)
      .then(async (routed) => {
        // The stage's queue was deleted meanwhile.
        if (routed.includes(false)) await declare(channel, options, answered);
      })
      .catch(() => otherwise.announce([number], tasks))
      .finally(() => {
        unconfirmed.delete(number);
        if (waiting.has(number)) timer ??= clock.after(coalesceMs, flush);
      });
  }
  /** Resolves after the broker's confirm: true, or false if no queue matched. */
  async function send(channel: ConfirmChannel, key: string, envelope: Envelope, headers: object = {}) {
    await new Promise<void>((resolve, reject) => {
      const taken = (error: unknown) => (error ? reject(error) : resolve());
      channel.publish(
        exchange,
        key,
        Buffer.from(JSON.stringify(envelope)),
        toProperties(envelope, headers),
        taken,
      );
    });
    // The broker returns an unroutable message before confirming the publish.
    return !returned.delete(envelope.event_id);
  }
  /** Limits the wait for confirms: one stuck queue would block all publishing. */
  async function confirmed<T>(sending: readonly Promise<T>[]): Promise<T[]> {
    const late = `${sending.length} of what it was sent it did not take`;
    try {
      return await within(clock, answerMs, Promise.all(sending), late);
    } catch (error) {
      if (error instanceof TimedOut) broker.giveUp(error);
      throw error;
    }
  }
  const isFailed = ({ stage, type }: OutboxRow): boolean => byNumber.get(stage)?.failed === type;
  /** Returns the unrouted events. */
  async function publishAll(channel: ConfirmChannel, events: readonly OutboxRow[]): Promise<OutboxRow[]> {
    const routed = await confirmed(
      events.map((event) => {
        const also = isFailed(event) ? { CC: [deathKeyOf(byNumber.get(event.stage)?.name ?? "")] } : {};
        return send(channel, routingKeyOf(event.type), toEnvelope(event), {
          "event-key": event.key,
          ...also,
        });
      }),
    );
    return events.filter((_, index) => !routed[index]);
  }
  return {
    isAwaited: true,
    announce(numbers, tasks = 1) {
      for (const number of numbers) waiting.set(number, (waiting.get(number) ?? 0) + tasks);
      timer ??= clock.after(coalesceMs, flush);
    },
    announceControls: otherwise.announceControls,
    async publish(events) {
      const channel = broker.channel();
      if (!channel) throw new NotHandedOn("The broker is away.");
      const fit: OutboxRow[] = [];
      for (const event of events) {
        const schema = catalogue.get(event.type);
        const complaint = schema ? complaintAbout(schema, event.data, "data") : "its type is not declared";
        if (complaint) await parts.unfit(event, complaint);
        else fit.push(event);
      }
      try {
        const unrouted = await publishAll(channel, fit);
        const lost = unrouted.filter(isFailed);
        if (lost.length > 0) {
          // Queues for dead letters always exist, so an unrouted dead letter means a deleted queue.
          await declare(channel, options, answered);
          await publishAll(channel, lost);
        }
        if (unrouted.length > lost.length)
          emit({ kind: "events.unrouted", events: unrouted.length - lost.length });
      } catch (error) {
        throw new NotHandedOn(`The broker did not take events: ${(error as Error).message}`);
      }
    },
    async close() {
      timer?.();
      await broker.close();
      await otherwise.close();
    },
  };
}

/** A broker gives its reason for closing a connection only in words; an unknown reason counts as transient. */
function faultOf(error: unknown): Fault {
  const fault = classify(error);
  return fault.kind === "unknown" ? { ...fault, kind: "transient", code: "broker.unavailable" } : fault;
}

/** True if the exchange is missing: the broker is new or was emptied. */
async function isForgotten(connection: ChannelModel, exchange: string): Promise<boolean> {
  const channel = await connection.createChannel();
  // The broker answers a question about something unknown by closing the channel.
  channel.on("error", () => undefined);
  try {
    await channel.checkExchange(exchange);
    // Not awaited: amqplib never settles this close if the connection ends before the broker's answer.
    void channel.close().catch(() => undefined);
    return false;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 404) throw error;
    return true;
  }
}

type Answered = <T>(asked: Promise<T>, about: string) => Promise<T>;

const answeredBy =
  (timers: Timers): Answered =>
  (asked, about) =>
    within(timers, answerMs, asked, `nothing came about ${about}`);

/** Declares exchange, queues and bindings. Idempotent. */
async function declare(
  channel: ConfirmChannel,
  { exchange, stages, receives }: RabbitOptions,
  answered: Answered,
): Promise<void> {
  await answered(channel.assertExchange(exchange, "topic", { durable: true }), "its exchange");
  for (const { name, keys, options } of queuesOf({ stages, receives })) {
    await answered(channel.assertQueue(name, options), `the queue "${name}"`);
    for (const key of keys) await answered(channel.bindQueue(name, exchange, key), `the queue "${name}"`);
  }
}

async function consume(
  connection: ChannelModel,
  { stages, receives }: RabbitOptions,
  { delivery, clock, answered }: RabbitParts & { readonly answered: Answered },
  broken: () => void,
): Promise<void> {
  const channel = await connection.createChannel();
  channel.on("error", () => undefined);
  channel.on("close", broken);
  const listen = async (queue: string, stage: number | null, most: number) => {
    await channel.prefetch(most);
    const consuming = channel.consume(queue, (message) => {
      // The queue was deleted meanwhile.
      if (!message) return broken();
      delivery(toDelivery(message, { queue, stage }));
    });
    await answered(consuming, `the queue "${queue}"`);
  };
  const toDelivery = (
    message: ConsumeMessage,
    from: { readonly queue: string; readonly stage: number | null },
  ): Delivery => {
    let open = true;
    const once = (act: () => void) => () => {
      if (!open) return;
      open = false;
      stopWaiting();
      try {
        act();
      } catch {
        // The delivery went with the closed channel: the broker delivers again.
      }
    };
    const again = once(() => channel.nack(message, false, true));
    const stopWaiting = clock.after(patienceMs, again);
    const { contentEncoding, headers, ...properties } = message.properties;
    return {
      ...from,
      body: message.content,
      encoding: contentEncoding as string | undefined,
      properties: { ...properties, headers, contentEncoding, redelivered: message.fields.redelivered },
      own: properties.appId === appId,
      done: once(() => channel.ack(message)),
      again,
    };
  };
  for (const { name, number, mine } of stages) if (mine) await listen(name, number, prefetch);
  if (receives.length > 0 && stages.some((one) => one.mine)) await listen(inboxQueue, null, inboxPrefetch);
}

const toProperties = (envelope: Envelope, headers: object): Options.Publish => ({
  persistent: true,
  mandatory: true,
  contentType: "application/json",
  messageId: envelope.event_id,
  type: envelope.event_type,
  timestamp: Math.floor(Date.parse(envelope.timestamp) / 1_000),
  appId,
  ...(envelope.correlation_id && { correlationId: envelope.correlation_id }),
  headers: { traceparent: traceparentOf(envelope), ...headers },
});
