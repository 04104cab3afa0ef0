import { createRequire } from "node:module";
import type { pino as Pino } from "pino";
import type { Signal } from "../decide/signal.ts";
import { read, readText } from "../decide/thrown.ts";
import { packageError } from "../define/definition-error.ts";
import { isoOf, type Plain, plain, plainText } from "./plain.ts";
import { type LogLevel, levelOf, logLevels, sentenceOf, signalKinds } from "./tell.ts";

/** Options of `logSignals`. */
export interface LogOptions {
  /** Least severe level written; `info` by default. */
  readonly level?: LogLevel;
  /** Receives each line with its line end; standard output by default. */
  readonly destination?: { write(line: string): unknown };
  /** Readable lines instead of JSON, for a terminal. */
  readonly pretty?: boolean;
}

/** One line of a log. */
export interface LogLine {
  readonly level: LogLevel;
  readonly timestamp: string | null;
  /** `req_<uuid>.stage_<name>.retry_<n>`; without a task the request or the worker; null without either. */
  readonly correlation_id: string | null;
  /** The stage; without a stage the part of the engine. */
  readonly processor: string;
  readonly document_id: string | null;
  readonly metadata: { readonly [key: string]: Plain };
  readonly message: string;
}

/**
 * Writes signals as structured lines. Never throws, for any signal.
 *
 * @example
 * import { logSignals } from "@headway/engine";
 *
 * export const onSignal = logSignals({ level: "warn" });
 */
export function logSignals(options: LogOptions = {}): (signal: Signal) => void {
  const pino = loadPino();
  const level = options.level ?? "info";
  const out = options.destination ?? standardOutput(pino);
  const destination = options.pretty ? { write: (line: string) => out.write(readable(line)) } : out;
  const log = pino(
    {
      level,
      base: null,
      timestamp: false,
      messageKey: "message",
      formatters: { level: (label) => ({ level: label }) },
    },
    destination as { write(line: string): void },
  );
  return (signal) => {
    try {
      const kind = knownKind(signal);
      const loudness = kind ? levelOf(signal) : "warn";
      if (logLevels.indexOf(loudness) < logLevels.indexOf(level)) return;
      const { message, level: _, ...line } = lineOf(signal, loudness);
      log[loudness](line, "%s", message);
    } catch {
      // A failing log must not fail the work.
    }
  };
}

/** The writer of log lines, an optional package. */
function loadPino(): typeof Pino {
  try {
    return createRequire(import.meta.url)("pino");
  } catch (error) {
    throw packageError(error, {
      name: "pino",
      purpose: "or listen to signals by onSignal without logSignals",
    });
  }
}

function standardOutput(pino: typeof Pino): { write(line: string): unknown } {
  const out = pino.destination({ fd: 1, sync: true });
  // The reader of standard output is gone; the work goes on.
  out.on("error", () => undefined);
  return out;
}

const knownKind = (signal: Signal): Signal["kind"] | undefined => {
  const kind = readText(signal, "kind");
  return kind !== undefined && Object.hasOwn(signalKinds, kind) ? (kind as Signal["kind"]) : undefined;
};

function lineOf(signal: Signal, level: LogLevel): LogLine {
  const kind = readText(signal, "kind") ?? "unknown";
  return {
    level,
    timestamp: isoOf(read(signal, "at")),
    correlation_id: correlationOf(signal),
    processor: plainText(readText(signal, "stage") ?? (kind.split(".")[0] as string), 200),
    document_id: optionalText(readText(signal, "documentId"), 1_100),
    metadata: metadataOf(signal, level),
    message: messageOf(signal, kind),
  };
}

function correlationOf(signal: Signal): string | null {
  const request = readText(signal, "request");
  const worker = read(signal, "worker");
  return optionalText(
    readText(signal, "correlationId") ??
      (request === undefined ? undefined : `req_${request}`) ??
      (typeof worker === "number" ? `worker_${worker}` : undefined),
    300,
  );
}

const optionalText = (text: string | undefined, lengthMax: number): string | null =>
  text === undefined ? null : plainText(text, lengthMax);

const elsewhere = new Set(["at", "stage", "documentId", "correlationId"]);

function metadataOf(signal: Signal, level: LogLevel): { readonly [key: string]: Plain } {
  const all = plain(signal);
  if (typeof all !== "object" || all === null || Array.isArray(all)) return {};
  const kept = Object.entries(all).filter(([key]) => !elsewhere.has(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === "fault" ? briefly(value, level) : value]),
  );
}

/** Drops the stack below level `error`: a person needs the location, a thousand retries do not. */
function briefly(fault: Plain, level: LogLevel): Plain {
  if (level === "error" || typeof fault !== "object" || fault === null || Array.isArray(fault)) return fault;
  return Object.fromEntries(Object.entries(fault).filter(([key]) => key !== "stack"));
}

function messageOf(signal: Signal, kind: string): string {
  try {
    return plainText(sentenceOf(signal) ?? kind);
  } catch {
    return plainText(`A signal of kind ${kind} that cannot be read.`);
  }
}

function readable(json: string): string {
  const line = JSON.parse(json) as LogLine;
  const where = line.document_id === null ? line.processor : `${line.processor} ${line.document_id}`;
  const text = `${line.timestamp ?? ""} ${line.level.padEnd(5)} ${where}: ${line.message}`;
  return `${text.replace(/[\r\n\t]+/g, " ")}\n`;
}
