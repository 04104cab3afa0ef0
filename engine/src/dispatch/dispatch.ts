import type { OutboxRow } from "../store/outbox.ts";

/** How news travels between processes. It carries ids, never truth: whatever it loses, polling and the sweep find. */
export interface Dispatch {
  /** Tells other processes that stages have something to do. Never waits, never throws. */
  announce(stages: readonly number[]): void;
  /** Tells other processes that policies, pauses or breakers changed. */
  announceControls(): void;
  /** Hands events on; resolves when the other side has them for good. */
  publish(events: readonly OutboxRow[]): Promise<void>;
  close(): Promise<void>;
}

export interface Hears {
  readonly work: (stages: readonly number[]) => void;
  readonly controls: () => void;
}
