import type { Emit, Signal } from "./decide/signal.ts";
import { openSpanExport, type TraceSettings } from "./dispatch/export-spans.ts";
import type { Clock } from "./run/clock.ts";
import { isOfSpan, isSampled, makeSpanBody, type OfSpan } from "./watch/spans.ts";

interface Traced {
  readonly clock: Clock;
  readonly emit: Emit;
  readonly onSignal: (heard: (signal: Signal) => void) => void;
  /** The name of the worker. */
  readonly worker: string;
}

/** Sends the spans of the engine's signals to the collector that the environment names. */
export function traceSignals(
  settings: TraceSettings | null,
  { clock, emit, onSignal, worker }: Traced,
): { close(): Promise<void> } | null {
  if (!settings) return null;
  const spans = openSpanExport<OfSpan>({
    settings,
    timers: clock,
    encode: makeSpanBody({ service: settings.service, worker }),
    dropped: (count, problem) => emit({ kind: "spans.dropped", spans: count, problem }),
  });
  onSignal((signal) => {
    if (isOfSpan(signal) && isSampled(signal, settings.share)) spans.take(signal);
  });
  return spans;
}
