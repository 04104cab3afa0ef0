import { permanent, rateLimited, transient } from "@headway/engine";
import type { FedPlaces, FeedCounts, Feeder, FeederOptions } from "./feeder.ts";
import type { Cursor } from "./library/table.ts";
import type { SourceSpec } from "./spec.ts";

/** What reading a source came to. */
export interface ReadResult {
  readonly new: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly damaged: number;
  readonly bytes: number;
  readonly more: boolean;
  readonly notes: readonly { readonly place: string; readonly because: string }[];
}

/** A source that is being read, as a reader of its kind sees it. */
export interface Reading {
  readonly name: string;
  readonly spec: SourceSpec;
  /** A password or token; null: none. */
  readonly secret: string | null;
  readonly cursor: Cursor;
  /** A folder for files that are kept between runs. */
  readonly folder: string;
  readonly feeder: Feeder;
  readonly options: FeederOptions;
  /** Keeps how far the source was read; everything before has been accepted. */
  keep(cursor: Cursor): Promise<void>;
}

export type ReadSource = (reading: Reading) => Promise<ReadResult>;

export const nothing: ReadResult = {
  new: 0,
  unchanged: 0,
  refused: 0,
  damaged: 0,
  bytes: 0,
  more: false,
  notes: [],
};

/** Refusals that may pass without a person: the server, the network or a disk is away. */
const mayPass = /^(url\.(unavailable|unreachable)|path\.(missing|unreadable))$/;

/** A place that has nothing yet is no failure of a source. */
const isEmpty = /^(path\.no-|url\.no-archives$)/;

/** The result of reading places, or the fault of the run. */
export function resultOf(fed: FedPlaces): ReadResult {
  const passing = fed.refused.find(({ code }) => mayPass.test(code));
  if (passing?.retryAfterMs) throw rateLimited(passing.code, passing.because, passing.retryAfterMs);
  if (passing) throw transient(passing.code, passing.because);
  const refused = fed.refused.filter(({ code }) => !isEmpty.test(code));
  const [first] = refused;
  if (first && fed.new + fed.unchanged === 0) throw permanent(first.code, first.because);
  return {
    new: fed.new,
    unchanged: fed.unchanged,
    bytes: fed.bytes,
    refused: refused.length,
    damaged: fed.skipped.length,
    more: false,
    notes: [...refused, ...fed.skipped].map(({ place, because }) => ({ place, because })),
  };
}

/** Only in memory: places are shown and kept without their secrets. */
export function withSecret(place: string, secret: string | null): string {
  if (secret === null) return place;
  const url = new URL(place);
  url.password = encodeURIComponent(secret);
  return url.href;
}

export const addCounts = (sum: ReadResult, counts: FeedCounts): ReadResult => ({
  ...sum,
  new: sum.new + counts.new,
  unchanged: sum.unchanged + counts.unchanged,
  bytes: sum.bytes + counts.bytes,
});
