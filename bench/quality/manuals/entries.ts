import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { entriesOf } from "../../../pipelines/manuals/test/pages-of.ts";

const labels = new URL("../labels/manual-entries.json", import.meta.url);
const corpora = new URL("../../../../shared/corpora/", import.meta.url);
/** Filled by `bash bench/quality/manuals/fetch.sh`. */
const fetched = new URL("../../../.cache/manuals/", import.meta.url);

/** Page, code or null, first words of the message, first words of the explanation. */
type Label = readonly [page: number, code: string | null, message: string, said?: string];

interface Labelled {
  readonly file: string;
  /** A Debian package, or a path in the corpora. */
  readonly package: string;
  /** Not scored while the readers were fitted; the pages had been read for labels. */
  readonly held: boolean;
  /** Pages read for labels; else the whole file. */
  readonly pages?: readonly [number, number];
  readonly entries: readonly Label[];
}

export interface EntryFigure {
  readonly file: string;
  readonly held: boolean;
  readonly labels: number;
  readonly found: number;
  /** Entries on labelled pages without a label. */
  readonly invented: number;
  /** Labels with an explanation, and labels found with the explanation. */
  readonly explained: number;
  readonly whole: number;
  readonly missed: readonly Label[];
  readonly wrong: readonly string[];
}

/** Troubles of real manuals beside labels made from the pages; absent manuals are left out. */
export async function entryFigures(only?: RegExp): Promise<readonly EntryFigure[]> {
  const { documents } = JSON.parse(readFileSync(labels, "utf8")) as { documents: readonly Labelled[] };
  const figures: EntryFigure[] = [];
  for (const one of documents.filter(({ file }) => only?.test(file) ?? true)) {
    const path = [new URL(one.file, fetched), new URL(one.package, corpora)]
      .map((url) => fileURLToPath(url))
      .find((candidate) => candidate.endsWith(".pdf") && existsSync(candidate));
    if (path !== undefined) figures.push(await figureOf(one, path));
  }
  return figures;
}

async function figureOf({ file, held, pages, entries }: Labelled, path: string): Promise<EntryFigure> {
  const [from, to] = pages ?? [1, Number.POSITIVE_INFINITY];
  const found = (await entriesOf(readFileSync(path), { from, to })).filter(({ kind }) => kind === "trouble");
  const left = new Set(found);
  const missed: Label[] = [];
  let whole = 0;
  for (const label of entries) {
    const match = [...left].find((entry) => fits(label, entry));
    if (!match) {
      missed.push(label);
      continue;
    }
    left.delete(match);
    if (label[3] !== undefined && plain(Object.values(match.texts).join(" ")).includes(plain(label[3])))
      whole++;
  }
  return {
    ...{ file, held, labels: entries.length, found: entries.length - missed.length, invented: left.size },
    ...{ explained: entries.filter(([, , , said]) => said !== undefined).length, whole, missed },
    wrong: [...left].map(({ page, texts }) => `${page}: ${JSON.stringify(texts).slice(0, 150)}`),
  };
}

type Found = Awaited<ReturnType<typeof entriesOf>>[number];

/** The same page, the same code, and the words of the message. */
function fits([page, code, message]: Label, { page: on, texts }: Found): boolean {
  if (on !== page || (code !== null && texts.code !== code)) return false;
  return plain(Object.values(texts).join(" ")).includes(plain(message));
}

const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");

/** Prints a line per manual, then sums of the fitted and of the other manuals. */
export async function printEntryFigures(): Promise<void> {
  const figures = await entryFigures();
  for (const { file, held, labels: given, found, invented, explained, whole } of figures)
    process.stdout.write(
      `entries ${file.slice(0, 32).padEnd(34)} ${found} of ${given}, ${invented} invented, explanation ${whole} of ${explained}${held ? "  not scored while fitting" : ""}\n`,
    );
  for (const held of [false, true]) {
    const some = figures.filter((figure) => figure.held === held);
    const sum = (pick: (figure: EntryFigure) => number) =>
      some.reduce((total, figure) => total + pick(figure), 0);
    const [given, found, invented] = [
      sum((one) => one.labels),
      sum((one) => one.found),
      sum((one) => one.invented),
    ];
    process.stdout.write(
      `entries, ${held ? "not scored while fitting" : "fitted"}: recall ${(found / given).toFixed(3)}, precision ${(found / (found + invented)).toFixed(3)}\n`,
    );
  }
}
