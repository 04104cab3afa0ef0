import type { ThreadReport } from "./thread-report.ts";
import { cleanLine, countOf, levelWords } from "./wording.ts";

type Level = keyof typeof levelWords;

/** A thread as told by a report: small enough to be kept for every report. */
export interface ThreadVersion {
  readonly list: string;
  readonly title: string;
  readonly lastDate: string | null;
  readonly messages: number;
  readonly people: number;
  readonly level: Level | null;
  readonly confidence: number | null;
  /** The first sentence of the summary. */
  readonly line: string;
  readonly decisions: readonly { readonly by: string; readonly quote: string }[];
}

export const versionOf = (report: ThreadReport): ThreadVersion => ({
  list: report.list,
  title: cleanLine(report.title) || "(no subject)",
  lastDate: report.lastDate,
  messages: report.tree.length,
  people: report.participants.length,
  level: report.outcome?.level ?? null,
  confidence: report.outcome?.confidence ?? null,
  line: cleanLine(report.summary?.sentences[0]?.text ?? ""),
  decisions: report.decisions.map(({ by, quote }) => ({
    by: cleanLine(by.name) || cleanLine(by.address),
    quote: cleanLine(quote),
  })),
});

export const isDecided = ({
  level,
  decisions,
}: Pick<ThreadVersion, "level"> & { decisions: number }): boolean =>
  level === "strong" || level === "rough" || decisions > 0;

/** The differences to the last report, in words; empty: none. */
export function changesOf(before: ThreadVersion | null, after: ThreadVersion): string[] {
  if (!before) return ["new thread"];
  const changes: string[] = [];
  const word = (level: Level | null) => (level === null ? "not weighed" : levelWords[level]);
  if (before.level !== after.level) changes.push(`${word(before.level)} → ${word(after.level)}`);
  const known = new Set(before.decisions.map(({ quote }) => quote));
  const fresh = after.decisions.filter(({ quote }) => !known.has(quote)).length;
  if (fresh > 0) changes.push(countOf(fresh, "new decision"));
  if (after.messages > before.messages)
    changes.push(countOf(after.messages - before.messages, "new message"));
  if (before.line !== after.line && before.line !== "")
    changes.push(`summary before: ${before.line.slice(0, 300)}`);
  return changes;
}
