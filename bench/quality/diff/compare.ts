import type { ThreadOutcome } from "./outcomes.ts";

/** A thread with another outcome, and what is different. */
export interface ChangedThread {
  readonly list: string;
  readonly subject: string;
  readonly changes: readonly string[];
}

/** Threads that differ between two trees or weights, in the order of the later ones. */
export function compareOutcomes(
  before: readonly ThreadOutcome[],
  after: readonly ThreadOutcome[],
): readonly ChangedThread[] {
  const keyOf = ({ list, thread }: ThreadOutcome): string => `${list} ${thread}`;
  const old = new Map(before.map((each) => [keyOf(each), each]));
  const kept = new Set(after.map(keyOf));
  const changed = after.map((each) => {
    const other = old.get(keyOf(each));
    return { ...each, changes: other === undefined ? ["a new thread"] : changesOf(other, each) };
  });
  const gone = before
    .filter((each) => !kept.has(keyOf(each)))
    .map((each) => ({ ...each, changes: ["the thread is gone"] }));
  return [...changed, ...gone]
    .filter(({ changes }) => changes.length > 0)
    .map(({ list, subject, changes }) => ({ list, subject, changes }));
}

function changesOf(before: ThreadOutcome, after: ThreadOutcome): readonly string[] {
  return [
    ...(before.level === after.level ? [] : [`level ${before.level} → ${after.level}`]),
    ...(before.question === after.question
      ? []
      : [`question ${told(before.question)} → ${told(after.question)}`]),
    ...stanceChanges(before.stances, after.stances),
    ...after.decisions.filter((each) => !before.decisions.includes(each)).map((each) => `+ decision ${each}`),
    ...before.decisions.filter((each) => !after.decisions.includes(each)).map((each) => `- decision ${each}`),
  ];
}

const told = (question: string | null): string => question ?? "none";

type Stances = ThreadOutcome["stances"];

function stanceChanges(before: Stances, after: Stances): readonly string[] {
  const messages = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return messages.flatMap((message) => {
    const [old, now] = [before[message], after[message]];
    if (old === now) return [];
    if (old === undefined) return [`+ ${now} ${message}`];
    if (now === undefined) return [`- ${old} ${message}`];
    return [`${isTurned(old, now) ? "TURNED ROUND " : ""}${old} → ${now} ${message}`];
  });
}

const isTurned = (old: string, now: string): boolean =>
  (old === "support" && now === "object") || (old === "object" && now === "support");

/** One line for each change, and a line with the counts. */
export function tellChanges(changed: readonly ChangedThread[], threads: number): string {
  const lines = changed.flatMap(({ list, subject, changes }) => [
    `${list}: ${subject.replace(/\s+/g, " ")}`,
    ...changes.map((change) => `  ${change}`),
  ]);
  const turned = changed.flatMap(({ changes }) => changes).filter((each) => each.startsWith("TURNED")).length;
  return [...lines, `${changed.length} of ${threads} threads changed, ${turned} positions turned round`].join(
    "\n",
  );
}
