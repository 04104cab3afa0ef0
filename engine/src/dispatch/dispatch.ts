import type { OutboxRow } from "../store/outbox.ts";

/** Transport of notifications between processes. Carries ids, never truth: polling and the sweep find lost work. */
export interface Dispatch {
  /** Notifies other processes about stages with due tasks, with an approximate count. Never waits, never throws. */
  announce(stages: readonly number[], tasks?: number): void;
  /** Notifies other processes about changed policies, pauses or breakers. */
  announceControls(): void;
  /** Publishes events; resolves when the receiver has stored all of them, rejects with `NotHandedOn` otherwise. */
  publish(events: readonly OutboxRow[]): Promise<void>;
  /** A receiver waits for events. */
  readonly isAwaited?: boolean;
  close(): Promise<void>;
}

export interface Hears {
  readonly work: (stages: readonly number[]) => void;
  readonly controls: () => void;
}

/** Message held by a broker until acknowledged. */
export interface Delivery extends Receipt {
  readonly queue: string;
  /** Stage of the queue; null: the inbox. */
  readonly stage: number | null;
  readonly body: Buffer;
  readonly encoding: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Published by Headway. */
  readonly own: boolean;
}

export interface Receipt {
  /** Acknowledges: the resulting work is committed. */
  done(): void;
  /** Returns the delivery to the queue, for a later attempt here or elsewhere. */
  again(): void;
}

/** The receiver takes no events now; the outbox keeps them. */
export class NotHandedOn extends Error {}
