import type { Key } from "./contenders.ts";
import { contenders } from "./contenders.ts";
import { documentedMs } from "./measures/recovery.ts";
import { writeSetRow } from "./measures/yardsticks.ts";
import { median } from "./statistics.ts";
import { type Figures, type Letter, measures } from "./trial.ts";

/** Samples of all repetitions: by figure by row by measure, and the reason of a missing row. */
export interface Found {
  readonly letter: Letter;
  readonly row: string;
  readonly reference: boolean;
  readonly samples: Readonly<Record<string, readonly number[]>>;
  readonly absent: string | null;
}

const figureTitles: Readonly<Record<string, string>> = {
  perSecond: "per second",
  oneByOne: "one by one/s",
  concurrent: "50 at once/s",
  bulk: "1,000 a call/s",
  p50: "begins, p50 ms",
  p99: "begins, p99 ms",
  wholeP50: "from the call, p50 ms",
  wholeP99: "from the call, p99 ms",
  committedP50: "committed, p50 ms",
  ms: "ms",
  mostMs: "longest ms",
  documentsPerSecond: "documents/s",
  microseconds: "µs a completion",
  walBytes: "WAL bytes a completion",
  statements: "statements a completion",
  keptBytes: "bytes kept a completion",
  queueBytes: "bytes of the empty queue",
  queueDeadRows: "dead rows in it",
};

/** Figures where less is better. */
const isCost = (figure: string): boolean =>
  /^(p50|p99|wholeP50|wholeP99|committedP50|ms|mostMs|microseconds)$/.test(figure);

export const showFigure = (value: number): string =>
  value >= 100
    ? Math.round(value).toLocaleString("en-US")
    : value >= 10
      ? value.toFixed(1)
      : value.toPrecision(3);

export function showSpread(samples: readonly number[]): string {
  if (samples.length === 0) return "–";
  const middle = showFigure(median(samples));
  if (samples.length === 1) return middle;
  return `${middle} (${showFigure(Math.min(...samples))}–${showFigure(Math.max(...samples))})`;
}

/** A table for each measure: medians, minima and maxima, and Headway's advantage over each row. */
export function markdownOf(all: readonly Found[]): string {
  const letters = (Object.keys(measures) as Letter[]).filter((letter) =>
    all.some((one) => one.letter === letter),
  );
  return letters.map((letter) => tableOf(letter, all)).join("\n\n");
}

function tableOf(letter: Letter, all: readonly Found[]): string {
  const rows = all.filter((one) => one.letter === letter);
  const figures = [...new Set(rows.flatMap(({ samples }) => Object.keys(samples)))];
  const main = figures[0];
  const reference = rows.find((one) => one.reference);
  const lines = rows.map((one) => {
    if (one.absent !== null) return [one.row, `absent: ${one.absent}`, ...figures.slice(1).map(() => ""), ""];
    const compared = main && reference ? ratioOf(main, reference, one) : "";
    return [one.row, ...figures.map((figure) => showSpread(one.samples[figure] ?? [])), compared];
  });
  const notes =
    letter === "d" ? documentedLines(figures.length) : letter === "i" ? shareLines(all, figures.length) : [];
  const titles = [
    "",
    ...figures.map((figure) => figureTitles[figure] ?? figure),
    reference ? "first row ÷ this" : "",
  ];
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [
    `### ${letter}. ${measures[letter]}`,
    "",
    line(titles),
    `|---|${"---:|".repeat(titles.length - 1)}`,
    ...[...lines, ...notes].map(line),
  ].join("\n");
}

/** Advantage of the reference: 2.00 means twice as fast, for costs as well as for rates. */
function ratioOf(figure: string, reference: Found, other: Found): string {
  const [ours, theirs] = [reference, other].map(({ samples }) => median(samples[figure] ?? []));
  if (!ours || !theirs) return "";
  return (isCost(figure) ? theirs / ours : ours / theirs).toFixed(2);
}

const documentedLines = (figures: number): string[][] =>
  Object.entries(documentedMs).map(([peer, ms]) => [
    `${peer}, as documented, not measured`,
    ms === null ? "when the same process is started again" : showFigure(ms),
    ...Array.from({ length: figures - 1 }, () => ""),
    "",
  ]);

function shareLines(all: readonly Found[], figures: number): string[][] {
  const yardstick = samplesOf(all, "i", writeSetRow, "perSecond");
  const rest = Array.from({ length: figures - 1 }, () => "");
  return all
    .filter(({ letter, row, absent }) => letter === "a" && row.startsWith("Headway, Node") && absent === null)
    .flatMap(({ row, samples }) => {
      if (yardstick.length === 0) return [];
      const share = median(samples.perSecond ?? []) / median(yardstick);
      return [[`${row}, as a share of the line above`, `${(share * 100).toFixed(0)} %`, ...rest, ""]];
    });
}

const samplesOf = (all: readonly Found[], letter: Letter, row: string, figure: string): readonly number[] =>
  all.find((one) => one.letter === letter && one.row === row)?.samples[figure] ?? [];

export interface Summary {
  readonly completionsPerSecond: Figures;
  readonly wakeMs: Figures;
  readonly recoveryMs: Figures;
  readonly pipelineDocsPerSecond: Figures;
  /** Cost of a completion at each number of kept completions, as a multiple of the first. */
  readonly costGrowth: Figures;
}

/** The last line of a run, with the best of several settings and Node versions. */
export function summaryOf(all: readonly Found[]): Summary {
  const keys: readonly Key[] = ["headway", "headwayPglite", "pgBoss", "graphileWorker", "bullmq", "dbos"];
  const by = (letter: Letter, figure: string): Figures =>
    Object.fromEntries(keys.map((key) => [key, bestOf(all, letter, figure, key)]));
  const documented: Figures = {
    pgBoss: documentedMs["pg-boss"] ?? null,
    graphileWorker: documentedMs["graphile-worker"] ?? null,
    bullmq: documentedMs.bullmq ?? null,
    dbos: documentedMs.dbos ?? null,
  };
  const measured = Object.fromEntries(Object.entries(by("d", "ms")).filter(([, value]) => value !== null));
  return {
    completionsPerSecond: by("a", "perSecond"),
    wakeMs: by("c", "p50"),
    recoveryMs: { headway: null, ...documented, ...measured },
    pipelineDocsPerSecond: by("e", "documentsPerSecond"),
    costGrowth: growthOf(all),
  };
}

function bestOf(all: readonly Found[], letter: Letter, figure: string, key: Key): number | null {
  const labels = contenders.filter((one) => one.key === key).map(({ label }) => label);
  const medians = labels
    .map((label) => median(samplesOf(all, letter, label, figure)))
    .filter((value) => !Number.isNaN(value));
  if (medians.length === 0) return null;
  return rounded(isCost(figure) ? Math.min(...medians) : Math.max(...medians));
}

function growthOf(all: readonly Found[]): Figures {
  const rows = all.filter(({ letter }) => letter === "f");
  const first = median(rows[0]?.samples.microseconds ?? []);
  return Object.fromEntries(
    rows.map(({ row, samples }) => {
      const cost = median(samples.microseconds ?? []) / first;
      return [row.replace(" kept", ""), Number.isNaN(cost) ? null : rounded(cost)];
    }),
  );
}

const rounded = (value: number): number => Number(value.toPrecision(4));
