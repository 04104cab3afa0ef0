import type { ClassifyThrown } from "../define/stage.ts";
import type { Fault, FaultKind } from "./fault.ts";
import { fingerprint } from "./fingerprint.ts";
import { isFaultKind, type Recognised, recognise } from "./recognise.ts";
import { cut, storable, truncate } from "./text.ts";
import { describe, errorName, read, readItems, readText } from "./thrown.ts";

export interface ClassifyOptions {
  /** The stage's own classification; omitted fields keep the engine's values. */
  readonly extend?: ClassifyThrown | null | undefined;
  readonly stage?: string | undefined;
  readonly messageBytesMax?: number | undefined;
  /** Needed for a `Retry-After` header with a date. */
  readonly now?: Date | undefined;
  /** The service that threw the value. */
  readonly service?: string | undefined;
}

export const classifyDefaults = { messageBytesMax: 16_384 } as const;

/** Makes a fault of any thrown value. Total: every input gives a storable fault. */
export function classify(thrown: unknown, options: ClassifyOptions = {}): Fault {
  try {
    return makeFault(thrown, options);
  } catch {
    const [code, message] = ["unknown.unreadable", "What was thrown cannot be read."];
    return {
      kind: "unknown",
      code,
      message,
      fingerprint: fingerprint({ stage: options.stage, code, message }),
    };
  }
}

function makeFault(thrown: unknown, options: ClassifyOptions): Fault {
  const chain = chainOf(thrown);
  const judged = ofService(judge(chain, options.now), options.service);
  const extended = extend(thrown, options.extend);
  const code = label(extended.code ?? judged.code) || "unknown.thrown";
  const { text: message, truncated } = truncate(
    storable(extended.message ?? judged.message ?? messageOf(thrown)),
    messageBytesMax(options),
  );
  const stack = stackOf(thrown);
  const causes = [...chain.slice(1).map(({ thrown }) => summary(thrown)), ...extended.complaints];
  const dependency = label(extended.dependency ?? judged.dependency ?? "");
  const retryAfterMs = saneDelay(extended.retryAfterMs ?? judged.retryAfterMs);
  return {
    kind: extended.kind ?? judged.kind,
    code,
    message,
    fingerprint: fingerprint({ stage: options.stage, code, message, stack }),
    ...(dependency !== "" && { dependency }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...((extended.outage ?? judged.outage) && { outage: true }),
    ...(stack !== undefined && { stack }),
    ...(causes.length > 0 && { causes }),
    ...(truncated !== undefined && { truncated }),
  };
}

/** An unreadable answer is a fault of the service, not of the document. */
function ofService(judged: Recognised, service: string | undefined): Recognised {
  if (service === undefined) return judged;
  const own = { ...judged, dependency: judged.dependency ?? service };
  return judged.code === "input.malformed" ? { ...own, kind: "transient", code: "answer.malformed" } : own;
}

function messageBytesMax({ messageBytesMax = classifyDefaults.messageBytesMax }: ClassifyOptions): number {
  return messageBytesMax >= 0 ? messageBytesMax : classifyDefaults.messageBytesMax;
}

/** A thrown value and its causes, nearest first; each once, limited in number. */
type Chain = readonly Link[];
interface Link {
  readonly thrown: unknown;
  readonly depth: number;
}

const causesMax = 8;

function chainOf(thrown: unknown): Chain {
  const chain: Link[] = [{ thrown, depth: 0 }];
  const seen = new Set([thrown]);
  for (let at = 0; at < chain.length; at++) {
    const link = chain[at] as Link;
    const causes = [read(link.thrown, "cause"), ...(readItems(link.thrown, "errors", causesMax) ?? [])];
    for (const cause of causes) {
      if (cause === undefined || cause === null || seen.has(cause) || chain.length > causesMax) continue;
      seen.add(cause);
      chain.push({ thrown: cause, depth: link.depth + 1 });
    }
  }
  return chain;
}

/**
 * An error without information (`TypeError: fetch failed`, a wrapper) is judged by its cause. Of several causes at the same depth the
 * most hopeful counts: a needless attempt costs less than an early end.
 */
function judge(chain: Chain, now: Date | undefined): Recognised {
  const outer = chain[0]?.thrown;
  for (let depth = 0; depth <= causesMax; depth++) {
    const side = chain.filter((link) => link.depth === depth);
    const known = side.map((link) => ({ link, as: recognise(link.thrown, now) }));
    const best = hopeOrder
      .map((kind) => known.find(({ as }) => as?.kind === kind))
      .find((found) => found?.as);
    if (best?.as === undefined) continue;
    if (best.as.kind === "permanent" && known.some(({ as }) => as === undefined)) break;
    if (depth === 0) return best.as;
    const message = withCause(messageOf(outer), best.as.message ?? messageOf(best.link.thrown));
    return { ...best.as, message };
  }
  const name = errorName(outer);
  return { kind: "unknown", code: name === undefined ? "unknown.thrown" : `unknown.${slug(name)}` };
}

const hopeOrder: readonly FaultKind[] = [
  "rate-limited",
  "transient",
  "not-found-yet",
  "unknown",
  "permanent",
];

/** Compares prefixes only: searching one huge text in another could take for ever. */
function withCause(message: string, cause: string): string {
  if (message.length > 1_000_000 || message.slice(0, 10_000).includes(cause.slice(0, 300))) return message;
  return `${message}: ${cause.slice(0, 2_000)}`;
}

const slug = (name: string): string =>
  label(name)
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, "-");

/** Codes and names serve for filtering and grouping, so their length is limited. */
const label = (text: string): string => cut(storable(text.slice(0, labelLengthMax)), labelLengthMax);
const labelLengthMax = 100;

interface Extension extends Partial<Recognised> {
  readonly complaints: readonly string[];
}

/** The stage's classification, as far as valid. */
function extend(thrown: unknown, ask: ClassifyThrown | null | undefined): Extension {
  if (!ask) return { complaints: [] };
  let answer: unknown;
  try {
    answer = ask(thrown);
  } catch (error) {
    return { complaints: [cut(`the stage's classify threw ${summary(error)}`, causeBytesMax)] };
  }
  const kind = read(answer, "kind");
  const code = readText(answer, "code");
  const message = readText(answer, "message");
  const dependency = readText(answer, "dependency");
  const retryAfterMs = read(answer, "retryAfterMs");
  const outage = read(answer, "outage");
  return {
    complaints: [],
    ...(isFaultKind(kind) && { kind }),
    ...(code && { code }),
    ...(message && { message }),
    ...(dependency && { dependency }),
    ...(typeof retryAfterMs === "number" && { retryAfterMs }),
    ...(typeof outage === "boolean" && { outage }),
  };
}

/** Limits a requested delay. */
const saneDelay = (ms: number | undefined): number | undefined =>
  ms === undefined || Number.isNaN(ms) ? undefined : Math.ceil(Math.min(Math.max(0, ms), retryAfterMsMax));
const retryAfterMsMax = 24 * 3_600_000;

/** The error's message; else the messages of its bundled errors; else a description. */
function messageOf(thrown: unknown): string {
  const message = readText(thrown, "message");
  if (message) return message;
  const bundled = (readItems(thrown, "errors", 3) ?? []).map((error) => readText(error, "message") ?? "");
  if (bundled.some((text) => text !== "")) return bundled.filter((text) => text !== "").join("; ");
  const name = errorName(thrown);
  if (name === undefined) return describe(thrown);
  const code = readText(thrown, "code");
  return code ? `${name} ${code}` : `${name} without a message`;
}

const causeBytesMax = 300;

/** Name, code and message in one short line. */
function summary(thrown: unknown): string {
  const name = errorName(thrown);
  const code = readText(thrown, "code");
  const head = name === undefined ? "" : `${label(name)}${code ? ` [${label(code)}]` : ""}: `;
  return cut(storable(`${head}${messageOf(thrown).slice(0, causeBytesMax)}`), causeBytesMax);
}

const stackBytesMax = 8_192;
const stackHeadMax = 1_000;

/** Keeps the frames: a message long enough to push them out is shortened. */
function stackOf(thrown: unknown): string | undefined {
  const stack = readText(thrown, "stack");
  if (!stack) return undefined;
  const frames = stack.indexOf("\n    at ");
  const head = frames === -1 ? stack.slice(0, stackBytesMax) : stack.slice(0, Math.min(frames, stackHeadMax));
  const rest = frames === -1 ? "" : stack.slice(frames, frames + stackBytesMax);
  return cut(storable(head + rest), stackBytesMax);
}
