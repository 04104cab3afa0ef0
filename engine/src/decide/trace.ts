import { createHash } from "node:crypto";

/** A span of W3C trace context, by its ids in hexadecimal. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** The request is the trace. */
export const traceIdOf = (request: string): string => hexOf(request, 32);

/** The span of a request's acceptance: the parent of every attempt, also in other processes. */
export const acceptSpanOf = (request: string): string => digest(`accept/${request}`, 16);

/** The span of an attempt: a retry has another correlation id, and so another span. */
export const attemptSpanOf = (correlationId: string, documentId: string): string =>
  digest(`${correlationId}/${documentId}`, 16);

/** The request inside of `req_<uuid>.stage_<name>.retry_<n>`. */
export const requestOf = (correlationId: string): string =>
  /^req_([^.]{1,100})\./.exec(correlationId)?.[1] ?? correlationId;

export const toTraceparent = ({ traceId, spanId }: SpanContext): string => `00-${traceId}-${spanId}-01`;

/** Reads a `traceparent` of another system; null: not usable, and ignored as the standard asks. */
export function readTraceparent(text: unknown): SpanContext | null {
  if (typeof text !== "string" || text.length > 1_000) return null;
  const found = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(text.trim());
  const [, version, traceId = "", spanId = "", rest] = found ?? [];
  if (!found || version === "ff" || (version === "00" && rest !== undefined)) return null;
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId) ? { traceId, spanId } : null;
}

/** The first digits of an id that is hexadecimal by itself, else of its hash. */
export const hexOf = (id: string, digits: number): string => {
  const hex = id.replace(/[^0-9a-f]/gi, "").toLowerCase();
  const usable = hex.length >= digits && /[1-9a-f]/.test(hex.slice(0, digits));
  return usable ? hex.slice(0, digits) : digest(id, digits);
};

const digest = (text: string, digits: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, digits);
