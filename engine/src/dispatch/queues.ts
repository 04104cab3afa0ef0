import type { Options } from "amqplib";
import { routingKeyOf } from "../decide/envelope.ts";

/** A queue of ours, what it is bound to, and how it is declared. */
export interface QueuePlan {
  readonly name: string;
  readonly keys: readonly string[];
  readonly options: Options.AssertQueue;
}

export const inboxQueue = "headway.inbox";
/** News that nobody hears loses its worth; the database knows. */
const noticesKept = 10_000;
const failedKept = 100_000;

/** Every queue there has to be: for each stage one with news and one with its dead letters, and one for events from outside. */
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

/** Not the key of an event: two stages may call their failures by the same name, and each has a queue of its own. */
export const deathKeyOf = (stage: string): string => `dead.${stage}`;

function plan(name: string, keys: readonly string[], kept: number | null): QueuePlan {
  const limits = kept === null ? {} : { "x-max-length": kept, "x-overflow": "drop-head" };
  return { name, keys, options: { durable: true, arguments: { "x-queue-type": "quorum", ...limits } } };
}
