import type { Notice } from "../decide/alert-text.ts";

/**
 * Channels by which alerts reach people.
 *
 * @example
 * import { channelNames } from "@headway/engine/operate";
 *
 * export const isChannel = (word: string) => channelNames.some((one) => one === word);
 */
export const channelNames = ["mail", "slack", "webhook", "pagerduty", "alertmanager"] as const;
export type ChannelName = (typeof channelNames)[number];

/** The time of an attempt, and the signal that ends it. */
export interface Moment {
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** A way to reach people. Targets are addresses without secrets: they are stored and shown. */
export interface Channel {
  readonly name: ChannelName;
  readonly targets: readonly string[];
  /** Throws `Undelivered` if the notice was not taken. */
  send(notice: Notice, target: string, moment: Moment): Promise<void>;
}

/**
 * A recipient took no mail or post. `final`: no further attempt can help. `retryAfterMs`: the recipient asked for patience.
 *
 * @example
 * import { Undelivered } from "@headway/engine";
 *
 * export const isWorthAnotherTry = (error: unknown): boolean => error instanceof Undelivered && !error.final;
 */
export class Undelivered extends Error {
  readonly final: boolean;
  readonly retryAfterMs: number;
  constructor(message: string, { final = false, retryAfterMs = 0 } = {}) {
    super(message);
    this.final = final;
    this.retryAfterMs = retryAfterMs;
  }
}
