import type { Producer, Wanted } from "../decide/reconcile.ts";

/** What follows from a document of a collection, in the numbers of the database. Made once from the pipelines. */
export interface Flow {
  /** Stages that work on each document of a collection. */
  readonly readers: ReadonlyMap<number, readonly number[]>;
  /** Fan-in stages that collect documents of a collection. */
  readonly collectors: ReadonlyMap<number, readonly Collector[]>;
  /** Fan-in stages whose groups wait for a stage. */
  readonly waiting: ReadonlyMap<number, readonly Collector[]>;
}

export interface Collector {
  readonly stage: number;
  readonly quietMs: number;
}

/** A document ready to be written: checked, normalised, hashed, and with the groups it belongs to. */
export interface Prepared extends Wanted {
  readonly json: string;
  readonly groups: readonly { readonly stage: number; readonly key: string }[];
}

/** What one producer yields, with what its documents inherit. */
export interface Yielded {
  readonly producer: Producer;
  readonly wanted: readonly Prepared[];
  readonly request: string;
  readonly rank: number;
}
