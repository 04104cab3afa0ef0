import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { feedManuals } from "../../../pipelines/manuals/src/feed.ts";
import { manualId } from "../../../pipelines/manuals/src/identity.ts";
import { type Manuals, startManuals } from "../../../pipelines/manuals/src/manuals.ts";

const labels = new URL("../labels/manual-questions.jsonl", import.meta.url);
const places = [
  "../../../.cache/manuals/",
  "../../../../shared/corpora/pdf-manual-gnu/GNU/",
  "../../../../shared/corpora/pdf-manual-fbbombas/manuals/",
  "../../../../shared/corpora/pdf-docling/pdf/sources/",
].map((path) => fileURLToPath(new URL(path, import.meta.url)));

interface Asked {
  /** `dev`: written with the text in view; `paraphrased`: before anybody looked; `refuse`: not in the manuals. */
  readonly kind: "dev" | "paraphrased" | "refuse";
  readonly file: string;
  readonly question: string;
  /** Physical pages that answer. */
  readonly pages: readonly number[];
}

export interface QuestionFigures {
  readonly asked: number;
  readonly first: number;
  readonly five: number;
  /** Answers told as not found; for `refuse` the right end. */
  readonly refused: number;
  readonly missed: readonly string[];
  /** Quotes without a place on their page. */
  readonly unplaced: number;
}

/** Asks all questions of manuals that are there, all manuals together. */
export async function questionFigures(): Promise<ReadonlyMap<Asked["kind"], QuestionFigures>> {
  const all = readFileSync(labels, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Asked);
  const paths = [...new Set(all.map(({ file }) => file))].flatMap(
    (file) => places.map((place) => join(place, file)).find((path) => existsSync(path)) ?? [],
  );
  const known = new Set(paths.map((path) => basename(path)));
  const folder = mkdtempSync(join(tmpdir(), "headway-questions-"));
  const manuals = await startManuals({ data: folder, database: { memory: true } });
  try {
    await feedManuals(manuals, paths);
    await manuals.engine.settled();
    const figures = new Map<Asked["kind"], QuestionFigures>();
    for (const kind of ["dev", "paraphrased", "refuse"] as const) {
      const some = all.filter((one) => one.kind === kind && known.has(one.file));
      figures.set(kind, await ask(manuals, some));
    }
    return figures;
  } finally {
    await manuals.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ask(manuals: Manuals, some: readonly Asked[]): Promise<QuestionFigures> {
  let [first, five, refused, unplaced] = [0, 0, 0, 0];
  const missed: string[] = [];
  for (const { kind, file, question, pages } of some) {
    // Not in its manual; another manual may well say it.
    const own = kind === "refuse" ? { manual: manualId(file) } : {};
    const { found, hits } = await manuals.search({ words: question, ...own });
    const at = hits.findIndex(({ manual, page }) => manual === manualId(file) && pages.includes(page));
    if (at === 0) first++;
    if (at >= 0 && at < 5) five++;
    else if (pages.length > 0)
      missed.push(`${question}: ${hits.map(({ manual, page }) => `${manual} ${page}`).join(", ")}`);
    if (!found) refused++;
    unplaced += hits.filter(({ boxes }) => boxes.length === 0).length;
  }
  return { asked: some.length, first, five, refused, missed, unplaced };
}

const bars = {
  dev: "29 in five, 25 first of 30",
  paraphrased: "29 in five of 30",
  refuse: "7 refused of 8",
} as const;

export async function printQuestionFigures(): Promise<void> {
  for (const [kind, { asked, first, five, refused, missed, unplaced }] of await questionFigures()) {
    process.stdout.write(
      `questions, ${kind}: ${asked} asked, ${five} in the first five, ${first} first, ${refused} refused, ${unplaced} quotes without a place (bar: ${bars[kind]})\n`,
    );
    for (const one of missed) process.stdout.write(`  missed: ${one}\n`);
  }
}
