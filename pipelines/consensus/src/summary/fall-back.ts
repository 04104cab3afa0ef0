import { type Fault, transient } from "@headway/engine";
import type { Post, SummarySentence } from "./post.ts";
import type { Summarizer, SummarizerGiven } from "./summarizer.ts";
import { verifySummary } from "./verify.ts";

/** Questions to a language model and their cost, as the server counts tokens. */
export interface Used {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface WrittenSummary {
  readonly model: string;
  readonly sentences: readonly SummarySentence[];
  readonly dropped: number;
  /** Missing: no language model was asked. */
  readonly used?: Used;
  /** The model that failed, and why in one sentence; missing: `model` is the model asked for. */
  readonly fallback?: Fallback;
}

export interface Fallback {
  readonly model: string;
  readonly code: string;
  readonly why: string;
}

interface Trying {
  readonly summarizer: Summarizer;
  /** Opened only for a fallback. */
  readonly openOffline: () => Summarizer;
  /** Later attempts are of no use. */
  readonly isLast: boolean;
  readonly modelMsMax?: number;
}

/** Below the time limit of the stage, so that a slow model leaves time for the offline summary. */
const modelMsDefault = 12 * 60_000;

/**
 * A verified summary. A language model that garbles, refuses or stays silent is replaced by the offline summarizer; an
 * outage or a limit of its service is thrown, so the task waits for the model.
 */
export async function writeSummary(
  posts: readonly Post[],
  given: SummarizerGiven,
  { summarizer, openOffline, isLast, modelMsMax = modelMsDefault }: Trying,
): Promise<WrittenSummary> {
  let used: Used = { calls: 0, tokensIn: 0, tokensOut: 0 };
  const onUsed = (more: Omit<Used, "calls">) => {
    used = {
      calls: used.calls + 1,
      tokensIn: used.tokensIn + more.tokensIn,
      tokensOut: used.tokensOut + more.tokensOut,
    };
  };
  const limit = AbortSignal.timeout(modelMsMax);
  const signal = AbortSignal.any([given.signal, limit]);
  let failed: Omit<Fallback, "model">;
  let lost = 0;
  try {
    const written = verifySummary(await summarizer.summarize(posts, { ...given, signal, onUsed }), posts);
    if (written.kept.length > 0 || used.calls === 0) return toSummary(summarizer.model, written, used);
    lost = written.dropped.length;
    failed = { code: "llm.unsupported", why: unsupported(lost) };
  } catch (error) {
    if (given.signal.aborted) throw error;
    const fault: unknown = limit.aborted ? tooSlow(modelMsMax) : error;
    if (!isOfAnswer(fault, isLast)) throw fault;
    failed = { code: fault.code, why: fault.message };
  }
  const offline = openOffline();
  const chosen = verifySummary(await offline.summarize(posts, given), posts);
  const kept = chosen.kept.filter(({ text }) => !webAddress.test(text));
  return {
    ...toSummary(offline.model, { ...chosen, kept }, used),
    dropped: chosen.dropped.length + lost,
    fallback: { model: summarizer.model, ...failed },
  };
}

/** A mail that confuses the model must not get its link into the summary by the fallback. */
const webAddress = /\b(?:https?:\/\/|www\.)/i;

const toSummary = (
  model: string,
  { kept, dropped }: ReturnType<typeof verifySummary>,
  used: Used,
): WrittenSummary => ({
  model,
  sentences: kept.map(({ text, citations }) => ({ text, citations })),
  dropped: dropped.length,
  ...(used.calls > 0 && { used }),
});

const unsupported = (dropped: number): string =>
  dropped === 0
    ? "The language model gave no sentence about the thread."
    : `No message supports any of the ${dropped} sentences of the language model.`;

const tooSlow = (ms: number) =>
  transient("llm.slow", `The language model did not finish the thread in ${Math.round(ms / 1000)} s.`, {
    dependency: "summarizer",
  });

/** The thread's own answer is bad: a refusal at once, other faults with the last attempt; never an outage. */
function isOfAnswer(error: unknown, isLast: boolean): error is Error & Fault {
  if (!(error instanceof Error)) return false;
  const { kind, code, outage } = error as Error & Partial<Fault>;
  if (code === "llm.refused") return true;
  return isLast && kind === "transient" && outage !== true && /^(?:llm|http)\./.test(code ?? "");
}
