import type { Options } from "amqplib";
import { routingKeyOf } from "../decide/envelope.ts";

/** A queue with bindings and declaration options. */
export interface QueuePlan {
  readonly name: string;
  readonly keys: readonly string[];
  readonly options: Options.AssertQueue;
}

export const inboxQueue = "headway.inbox";
/** Notifications beyond this many are dropped, oldest first: the database knows the tasks. */
const noticesKept = 10_000;
const failedKept = 100_000;

/**
 * All queues: for each stage one for notifications and one for dead letters, plus one inbox for events from outside.
 */
export function queuesOf({
  stages,
  receives,
}: {
  readonly stages: readonly { readonly name: string }[];
  readonly receives: readonly string[];
}): QueuePlan[] {
  return [
    ...stages.flatMap(({ name }) => [
      plan(name, [`work.${name}`], noticesKept),
      plan(`${name}.failed`, [deathKeyOf(name)], failedKept),
    ]),
    ...(receives.length > 0 ? [plan(inboxQueue, receives.map(routingKeyOf), null)] : []),
  ];
}

/**
 * Differs from the event's own key: two stages may share an event type for failures, and each has a queue of its own.
 */
export const deathKeyOf = (stage: string): string => `dead.${stage}`;

function plan(name: string, keys: readonly string[], kept: number | null): QueuePlan {
  const limits = kept === null ? {} : { "x-max-length": kept, "x-overflow": "drop-head" };
  return { name, keys, options: { durable: true, arguments: { "x-queue-type": "quorum", ...limits } } };
}
