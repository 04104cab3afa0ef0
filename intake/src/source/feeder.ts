/** A file fetched by itself, such as a mail of a mailbox. */
export interface TakenFile {
  /** Stable and unique within its list: the same file again has the same key. */
  readonly key: string;
  /** For people; without secrets. */
  readonly place: string;
  readonly bytes: Uint8Array;
}

export interface FeedCounts {
  readonly new: number;
  readonly unchanged: number;
  readonly bytes: number;
}

/** Outcome of reading places. */
export interface FedPlaces extends FeedCounts {
  readonly skipped: readonly { readonly place: string; readonly because: string }[];
  readonly refused: readonly RefusedPlace[];
}

export interface RefusedPlace {
  readonly place: string;
  readonly code: string;
  readonly because: string;
  /** The server asked for this patience. */
  readonly retryAfterMs?: number;
}

export interface FeederOptions {
  readonly list: string | null;
  readonly allowPrivate: boolean;
  /** A uuid for tracing all consequences; empty: a new one. */
  readonly request: string;
  readonly signal: AbortSignal;
}

/** A pipeline's way to take files in. Both ways are safe to repeat. */
export interface Feeder {
  /** Reads folders, files and web addresses. */
  places(places: readonly string[], options: FeederOptions): Promise<FedPlaces>;
  /** Takes files one at a time; absent: the pipeline reads no such files. */
  files?(
    files: readonly TakenFile[],
    options: FeederOptions & { readonly list: string },
  ): Promise<FeedCounts>;
}

/** By the name of the pipeline. */
export type Feeders = Readonly<Record<string, Feeder>>;
