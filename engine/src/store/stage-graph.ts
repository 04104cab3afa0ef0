import type { Producer, Wanted } from "../decide/reconcile.ts";

/** Consequences of a document of a collection, in the numbers of the database. Made once from the pipelines. */
export interface Flow {
  /** Stages that run on each document of a collection. */
  readonly readers: ReadonlyMap<number, readonly number[]>;
  /** Fan-in stages that collect documents of a collection. */
  readonly collectors: ReadonlyMap<number, readonly Collector[]>;
  /** Fan-in stages with groups that wait for a stage. */
  readonly waiting: ReadonlyMap<number, readonly Collector[]>;
  /** Stages that look at documents of a collection beside their input. */
  readonly lookers: ReadonlyMap<number, readonly number[]>;
  /** All stages with look-ups, with their quiet times. */
  readonly looking: ReadonlyMap<number, number>;
}

export interface Collector {
  readonly stage: number;
  readonly quietMs: number;
}

/** A document ready to be written: checked, normalised, hashed, and with its groups. */
export interface Prepared extends Wanted {
  readonly json: string;
  readonly groups: readonly { readonly stage: number; readonly key: string }[];
}

/** The yields of one producer, with the properties inherited by its documents. */
export interface Yielded {
  readonly producer: Producer;
  readonly wanted: readonly Prepared[];
  readonly request: string;
  readonly rank: number;
}
