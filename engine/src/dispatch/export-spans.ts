import { DefinitionError } from "../define/definition-error.ts";
import type { Timers } from "./timeout.ts";

/** Variables of the OpenTelemetry exporter, with their meaning. */
export const traceVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT:
    "a collector of traces that takes OTLP over HTTP, such as `http://127.0.0.1:4318`; none: no traces",
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "the whole address for traces; the former with `/v1/traces`",
  OTEL_EXPORTER_OTLP_HEADERS: "headers for the collector: `name=value`, separated by commas",
  OTEL_TRACES_SAMPLER_ARG: "the share of requests whose spans are sent, from 0 to 1; `1`. Faults always are",
  TRACEPARENT:
    "the span of the caller as W3C trace context: traces of documents accepted by this process link to it",
  OTEL_SERVICE_NAME: "the name of the service in traces; `headway`",
} as const;

type Variables = Readonly<Record<string, string | undefined>>;

export interface TraceSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly share: number;
  readonly service: string;
}

/** The collector named by the environment; null: none. */
export function readTraceSettings(variables: Variables): TraceSettings | null {
  const value = (name: keyof typeof traceVariables) => variables[name]?.trim() || null;
  const base = value("OTEL_EXPORTER_OTLP_ENDPOINT");
  const url =
    value("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? (base && `${base.replace(/\/{1,9}$/, "")}/v1/traces`);
  if (url === null) return null;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new DefinitionError(
      `OTEL_EXPORTER_OTLP_ENDPOINT is no address: it begins with http:// or https://.`,
    );
  const share = Number(value("OTEL_TRACES_SAMPLER_ARG") ?? 1);
  if (!(share >= 0 && share <= 1))
    throw new DefinitionError("OTEL_TRACES_SAMPLER_ARG is no share: expected a number from 0 to 1.");
  const headers = readHeaders(value("OTEL_EXPORTER_OTLP_HEADERS") ?? "");
  return { url, headers, share, service: value("OTEL_SERVICE_NAME") ?? "headway" };
}

function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(",").filter((one) => one.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      try {
        const name = pair.slice(0, at).trim();
        new Headers({ [name]: decodeURIComponent(pair.slice(at + 1).trim()) });
        return [name, decodeURIComponent(pair.slice(at + 1).trim())];
      } catch {
        // The pair itself is not shown: it may be a key.
        throw new DefinitionError(
          "OTEL_EXPORTER_OTLP_HEADERS cannot be read: expected name=value, separated by commas.",
        );
      }
    }),
  );
}

export interface SpanExport<One> {
  /** Takes one to be sent; returns at once. A full queue drops it. */
  take(one: One): void;
  /** Sends the rest, for at most two seconds. */
  close(): Promise<void>;
}

export interface SpanExportParts<One> {
  readonly settings: Pick<TraceSettings, "url" | "headers">;
  readonly encode: (some: readonly One[]) => string;
  readonly timers: Timers;
  /** Called with the number lost and the reason. */
  readonly dropped: (spans: number, problem: string) => void;
  readonly queueMax?: number;
  readonly everyMs?: number;
}

const batchMax = 512;
const answerMs = 10_000;
const closingMs = 2_000;
const triesMax = 5;
const waitMaxMs = 30_000;
/** The rest of a longer answer is not read. */
const answerBytesMax = 65_536;

/**
 * Sends batches to a collector, in sequence and beside the work: no task waits for the collector, and only a bounded queue grows. A
 * refused batch is sent again a few times; spans beyond the queue's limit are dropped.
 */
export function openSpanExport<One>(parts: SpanExportParts<One>): SpanExport<One> {
  const { encode, timers, queueMax = 8_192, everyMs = 1_000 } = parts;
  const stop = new AbortController();
  let queue: One[] = [];
  let overflow = 0;
  let sending: Promise<void> | null = null;
  let cancel: (() => void) | null = null;

  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const end = timers.after(ms, resolve);
      const abort = () => {
        end();
        resolve();
      };
      stop.signal.addEventListener("abort", abort, { once: true });
    });

  async function sendBatch(batch: readonly One[]): Promise<void> {
    const body = encode(batch);
    for (let tries = 1; ; tries++) {
      const problem = await post(body, parts, stop.signal);
      if (problem === null) return;
      if (problem.final || tries >= triesMax || stop.signal.aborted)
        return parts.dropped(batch.length, problem.text);
      await rest(Math.min(waitMaxMs, Math.max(problem.retryAfterMs, everyMs * 2 ** (tries - 1))));
    }
  }

  async function sendAll(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, batchMax);
      await sendBatch(batch);
      if (overflow > 0) parts.dropped(overflow, `the queue of ${queueMax} was full`);
      overflow = 0;
    }
  }
  const begin = (): Promise<void> => {
    cancel?.();
    cancel = null;
    sending ??= sendAll()
      .catch(() => undefined)
      .finally(() => {
        sending = null;
      });
    return sending;
  };
  return {
    take(one) {
      if (stop.signal.aborted) return;
      if (queue.length >= queueMax) {
        overflow++;
        return;
      }
      queue.push(one);
      if (sending) return;
      if (queue.length >= batchMax) void begin();
      else cancel ??= timers.after(everyMs, () => void begin());
    },
    async close() {
      const giveUp = timers.after(closingMs, () => stop.abort());
      await begin();
      await begin();
      giveUp();
      stop.abort();
      queue = [];
    },
  };
}

interface Problem {
  readonly text: string;
  /** Sending again would not help. */
  readonly final: boolean;
  readonly retryAfterMs: number;
}

async function post(
  body: string,
  {
    settings: { url, headers },
    timers,
    dropped,
  }: Pick<SpanExportParts<unknown>, "settings" | "timers" | "dropped">,
  stopping: AbortSignal,
): Promise<Problem | null> {
  const { host } = new URL(url);
  const late = new AbortController();
  const cancel = timers.after(answerMs, () => late.abort());
  const signal = AbortSignal.any([late.signal, stopping]);
  try {
    const answer = await fetch(url, {
      method: "POST",
      body,
      redirect: "manual",
      signal,
      headers: { "content-type": "application/json", ...headers },
    });
    const text = await readSome(answer);
    if (answer.ok) {
      const rejected = rejectedIn(text);
      if (rejected > 0) dropped(rejected, `${host} rejected them`);
      return null;
    }
    const again = answer.status === 408 || answer.status === 429 || answer.status >= 500;
    const seconds = Number(answer.headers.get("retry-after") ?? 0);
    const retryAfterMs = Number.isFinite(seconds) ? Math.max(0, seconds * 1_000) : 0;
    return { text: `${host} answered ${answer.status}`, final: !again, retryAfterMs };
  } catch {
    const reason = signal.aborted ? "no answer in time" : "no connection";
    return { text: `${host}: ${reason}`, final: false, retryAfterMs: 0 };
  } finally {
    cancel();
  }
}

async function readSome(answer: Response): Promise<string> {
  const reader = answer.body?.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  while (reader && bytes < answerBytesMax) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    parts.push(value);
  }
  await reader?.cancel().catch(() => undefined);
  return Buffer.concat(parts).toString("utf8");
}

/** A collector may take a part and say how many it did not; an answer that cannot be read says nothing. */
function rejectedIn(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: unknown } };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}
