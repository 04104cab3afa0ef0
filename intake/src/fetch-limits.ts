/** Limits of one web request. */
export interface FetchLimits {
  readonly redirectsMax: number;
  /** Both before and after content decoding. */
  readonly bytesMax: number;
  readonly connectMs: number;
  /** Without a single byte. */
  readonly idleMs: number;
  readonly totalMs: number;
  readonly pageBytesMax: number;
  readonly linksMax: number;
}

export const defaultFetchLimits: FetchLimits = {
  redirectsMax: 5,
  bytesMax: 4 * 1024 ** 3,
  connectMs: 15_000,
  idleMs: 60_000,
  totalMs: 60 * 60_000,
  pageBytesMax: 8 * 1024 ** 2,
  linksMax: 2_000,
};
