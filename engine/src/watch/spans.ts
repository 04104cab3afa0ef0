import type { Signal } from "../decide/signal.ts";
import {
  acceptSpanOf,
  attemptSpanOf,
  readTraceparent,
  requestOf,
  type SpanContext,
  traceIdOf,
} from "../decide/trace.ts";
import { plainText } from "./plain.ts";

/** A span in the JSON of the OpenTelemetry protocol. */
export interface Span extends SpanContext {
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly SpanContext[];
  readonly droppedLinksCount?: number;
  readonly status?: { readonly code: number; readonly message?: string };
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

type OfAttempt = Extract<Signal, { kind: "task.done" | "task.retried" | "task.held" | "task.died" }>;
export type OfSpan = OfAttempt | Extract<Signal, { kind: "documents.accepted" }>;

const [kindProducer, kindConsumer, failed] = [4, 5, 2];
const linksMax = 128;

/** Whether a signal becomes a span. A death without an attempt has none. */
export function isOfSpan(signal: Signal): signal is OfSpan {
  switch (signal.kind) {
    case "documents.accepted":
    case "task.done":
    case "task.retried":
    case "task.held":
      return true;
    case "task.died":
      return signal.durationMs > 0 || signal.reason === "permanent";
    default:
      return false;
  }
}

/** Whether a trace is in the sample: decided by its id, alike in all processes. Faults always are. */
export function isSampled(signal: OfSpan, share: number): boolean {
  if (share >= 1 || signal.kind === "task.retried" || signal.kind === "task.died") return true;
  const request = "request" in signal ? signal.request : requestOf(signal.correlationId);
  return Number.parseInt(traceIdOf(request).slice(-8), 16) < share * 2 ** 32;
}

const requestsMax = 10_000;

/**
 * Makes bodies of requests to a collector. The first acceptance of a request is the root of the trace; further acceptances of the same
 * request, such as more archives of a list, are below the root.
 */
export function makeSpanBody({ service, worker }: { readonly service: string; readonly worker: string }) {
  const attributes = toAttributes({ "service.name": service, "service.instance.id": worker });
  const accepted = new Set<string>();
  const isFirst = (request: string): boolean => {
    if (accepted.has(request)) return false;
    if (accepted.size >= requestsMax) accepted.clear();
    accepted.add(request);
    return true;
  };
  const toSpan = (signal: OfSpan): Span =>
    signal.kind === "documents.accepted"
      ? spanOfAccept(signal, isFirst(signal.request))
      : spanOfAttempt(signal);
  return (signals: readonly OfSpan[]): string => {
    const scopeSpans = [{ scope: { name: "headway" }, spans: signals.map(toSpan) }];
    return JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] });
  };
}

function spanOfAccept(signal: Extract<Signal, { kind: "documents.accepted" }>, isRoot: boolean): Span {
  const { request, collection, inserted, changed, unchanged, traceparent } = signal;
  const origin = readTraceparent(traceparent);
  return {
    traceId: traceIdOf(request),
    ...(isRoot
      ? { spanId: acceptSpanOf(request) }
      : { spanId: laterSpanOf(signal), parentSpanId: acceptSpanOf(request) }),
    name: `accept ${plainText(collection, 200)}`,
    kind: kindProducer,
    ...times(signal),
    attributes: toAttributes({
      "messaging.system": "headway",
      "messaging.operation.type": "send",
      "messaging.destination.name": collection,
      "headway.inserted": inserted,
      "headway.changed": changed,
      "headway.unchanged": unchanged,
      ...(origin && { "headway.origin_trace": origin.traceId }),
    }),
    ...(origin && { links: [origin] }),
  };
}

const laterSpanOf = ({ request, at, inserted }: Extract<Signal, { kind: "documents.accepted" }>): string =>
  attemptSpanOf(request, `${at.getTime()}/${inserted}`);

/** An attempt. The parent is the acceptance; a group links to the acceptances of further members. */
function spanOfAttempt(signal: OfAttempt): Span {
  const { correlationId, documentId, stage, attempt } = signal;
  const request = requestOf(correlationId);
  const fault = "fault" in signal ? signal.fault : null;
  const requests = signal.kind === "task.done" ? (signal.requests ?? []) : [];
  const links = requests
    .slice(0, linksMax)
    .map((one) => ({ traceId: traceIdOf(one), spanId: acceptSpanOf(one) }));
  return {
    traceId: traceIdOf(request),
    spanId: attemptSpanOf(correlationId, documentId),
    parentSpanId: acceptSpanOf(request),
    name: `process ${stage}`,
    kind: kindConsumer,
    ...times(signal),
    attributes: toAttributes({
      "messaging.system": "headway",
      "messaging.operation.type": "process",
      "messaging.destination.name": stage,
      "messaging.message.id": documentId,
      "headway.attempt": attempt,
      "headway.outcome": signal.kind.slice("task.".length),
      ...(signal.kind === "task.done" && { "headway.outputs": signal.outputs }),
      ...(fault && { "error.type": fault.code }),
    }),
    ...(links.length > 0 && { links }),
    ...(requests.length > linksMax && { droppedLinksCount: requests.length - linksMax }),
    // The text of a fault may quote a document, so only the code leaves.
    ...(fault && { status: { code: failed, message: fault.code } }),
  };
}

function times({ at, durationMs }: OfSpan): Pick<Span, "startTimeUnixNano" | "endTimeUnixNano"> {
  const end = at.getTime();
  return { startTimeUnixNano: nanos(end - Math.max(0, durationMs)), endTimeUnixNano: nanos(end) };
}

const nanos = (ms: number): string => `${Math.round(ms)}000000`;

const toAttributes = (values: Readonly<Record<string, string | number>>): Attribute[] =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: plainText(value, 1_100) },
  }));
