/** The reason of a failed attempt, as data. Any thrown value becomes a fault (`classify.ts`). */
export interface Fault {
  readonly kind: FaultKind;
  /** Stable, `noun.problem`, for filtering and grouping. */
  readonly code: string;
  readonly message: string;
  /** Shared by faults with the same cause, independent of ids and numbers in messages (`fingerprint.ts`). */
  readonly fingerprint: string;
  /** The failed dependency, if known; feeds the circuit breaker. */
  readonly dependency?: string;
  /** Requested delay. */
  readonly retryAfterMs?: number;
  /** The dependency as a whole looks down (refused, 502, timeout), not just for this document. */
  readonly outage?: boolean;
  readonly stack?: string;
  /** Names, codes and messages of the causes, outermost first. */
  readonly causes?: readonly string[];
  /** Bytes cut from an oversized message, and the SHA-256 of the whole. */
  readonly truncated?: { readonly bytes: number; readonly sha256: string };
}

export const faultKinds = ["transient", "rate-limited", "not-found-yet", "permanent", "unknown"] as const;
/** The kinds of faults; each has a retry policy of its own. */
export type FaultKind = (typeof faultKinds)[number];

/** An error thrown by a stage to control the treatment of a failure. */
export class StageFault extends Error {
  readonly kind: FaultKind;
  readonly code: string;
  readonly dependency: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly outage: boolean;

  constructor(kind: FaultKind, code: string, message: string, options: FaultOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "StageFault";
    this.kind = kind;
    this.code = code;
    this.dependency = options.dependency;
    this.retryAfterMs = options.retryAfterMs;
    this.outage = options.outage ?? false;
  }
}

export interface FaultOptions {
  readonly cause?: unknown;
  readonly dependency?: string;
  readonly retryAfterMs?: number;
  readonly outage?: boolean;
}

/**
 * Retrying cannot help: the document itself is at fault. The task is dead at once.
 *
 * @example
 * import { permanent } from "@headway/engine";
 *
 * export function readYear(text: string): number {
 *   const year = Number(text);
 *   if (Number.isNaN(year)) throw permanent("year.invalid", `"${text}" is no year.`);
 *   return year;
 * }
 */
export const permanent = (code: string, message: string, options?: FaultOptions) =>
  new StageFault("permanent", code, message, options);

/**
 * Retrying may help: the task is tried again as the retry policy says.
 *
 * @example
 * import { transient } from "@headway/engine";
 *
 * export async function fetchPage(url: string): Promise<string> {
 *   const response = await fetch(url);
 *   if (response.status >= 500) throw transient("http.unavailable", `${url} answers ${response.status}.`);
 *   return await response.text();
 * }
 */
export const transient = (code: string, message: string, options?: FaultOptions) =>
  new StageFault("transient", code, message, options);

/**
 * A reference of this document is not visible yet; waiting is not failing.
 *
 * @example
 * import { notFoundYet } from "@headway/engine";
 *
 * export function priceOf(prices: ReadonlyMap<string, number>, item: string): number {
 *   const price = prices.get(item);
 *   if (price === undefined) throw notFoundYet("price.missing", `The price of ${item} is not there yet.`);
 *   return price;
 * }
 */
export const notFoundYet = (code: string, message: string, options?: FaultOptions) =>
  new StageFault("not-found-yet", code, message, options);

/**
 * A dependency asked to slow down; the attempt is not charged.
 *
 * @example
 * import { rateLimited } from "@headway/engine";
 *
 * export function checkLimit(response: Response): void {
 *   const seconds = Number(response.headers.get("retry-after") ?? 1);
 *   if (response.status === 429) throw rateLimited("http.busy", "Too many requests.", 1_000 * seconds);
 * }
 */
export const rateLimited = (code: string, message: string, retryAfterMs: number, options?: FaultOptions) =>
  new StageFault("rate-limited", code, message, { ...options, retryAfterMs });
