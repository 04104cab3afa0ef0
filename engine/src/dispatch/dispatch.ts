import type { OutboxRow } from "../store/outbox.ts";

/** How news travels between processes. It carries ids, never truth: whatever it loses, polling and the sweep find. */
export interface Dispatch {
  /** Tells other processes that stages have something to do, and about how much. Never waits, never throws. */
  announce(stages: readonly number[], tasks?: number): void;
  /** Tells other processes that policies, pauses or breakers changed. */
  announceControls(): void;
  /** Hands events on; resolves when the other side has them for good, rejects with `NotHandedOn` when it cannot. */
  publish(events: readonly OutboxRow[]): Promise<void>;
  /** Somebody waits for events at the other side. */
  readonly isAwaited?: boolean;
  close(): Promise<void>;
}

export interface Hears {
  readonly work: (stages: readonly number[]) => void;
  readonly controls: () => void;
}

/** Something that a broker holds for us until we say that it has been dealt with. */
export interface Delivery extends Receipt {
  readonly queue: string;
  /** The stage whose queue it came from; null: the inbox. */
  readonly stage: number | null;
  readonly body: Buffer;
  readonly encoding: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
  /** It is one of our own. */
  readonly own: boolean;
}

export interface Receipt {
  /** What it led to is committed: the broker may forget it. */
  done(): void;
  /** It could not be dealt with here: somebody else, or we ourselves later, should have it again. */
  again(): void;
}

/** The other side does not take events now; they stay in the outbox. */
export class NotHandedOn extends Error {}
