/** Why an attempt failed, as data. Everything a stage throws becomes one of these (`classify.ts`). */
export interface Fault {
  readonly kind: FaultKind;
  /** Stable, `noun.problem`: people filter and group by it. */
  readonly code: string;
  readonly message: string;
  /** Faults with the same cause share it, whatever ids and numbers their messages carry (`fingerprint.ts`). */
  readonly fingerprint: string;
  /** The dependency that failed, when it is known; feeds its breaker. */
  readonly dependency?: string;
  /** How long the other side asked us to wait. */
  readonly retryAfterMs?: number;
  /** The dependency as a whole looks down (refused, 502, timeout), not just this document. */
  readonly outage?: boolean;
  readonly stack?: string;
  /** Names, codes and messages of what caused it, outermost first. */
  readonly causes?: readonly string[];
  /** Bytes cut away from an oversized message, and the SHA-256 of the whole. */
  readonly truncated?: { readonly bytes: number; readonly sha256: string };
}

export const faultKinds = ["transient", "rate-limited", "not-found-yet", "permanent", "unknown"] as const;
export type FaultKind = (typeof faultKinds)[number];

/** What a stage throws to say how its failure should be treated. */
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

/** Trying again cannot help: the document itself is at fault. `throw permanent("pdf.encrypted", "…")`. */
export const permanent = (code: string, message: string, options?: FaultOptions) =>
  new StageFault("permanent", code, message, options);

/** Trying again may help. `throw transient("http.unavailable", "…", { cause })`. */
export const transient = (code: string, message: string, options?: FaultOptions) =>
  new StageFault("transient", code, message, options);

/** Something this document refers to is not visible yet; waiting for it is not failing. */
export const notFoundYet = (code: string, message: string, options?: FaultOptions) =>
  new StageFault("not-found-yet", code, message, options);

/** The other side asked us to slow down. */
export const rateLimited = (code: string, message: string, retryAfterMs: number, options?: FaultOptions) =>
  new StageFault("rate-limited", code, message, { ...options, retryAfterMs });
