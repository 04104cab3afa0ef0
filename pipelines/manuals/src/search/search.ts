import { type Database, readersOf } from "@headway/engine";
import { type Embedder, splitSentences, vectorText } from "@headway/text";
import { pages, recognitions } from "../collections.ts";
import { pageId } from "../identity.ts";
import { stopWords } from "../language.ts";
import { findByMeaning } from "../library/find-by-meaning.ts";
import { type CodeEntry, findCodes } from "../library/find-codes.ts";
import { type Candidate, findExcerpts } from "../library/find-excerpts.ts";
import { recognisedBoxes } from "../ocr/recognised-text.ts";
import { boxesOf } from "../page-text.ts";
import type { Box } from "../pdf/upright.ts";

export interface Hit {
  readonly manual: string;
  readonly title: string;
  readonly page: number;
  readonly label: string;
  readonly crumbs: string;
  /** Words of the page as they stand there, checked. */
  readonly quote: string;
  readonly boxes: readonly Box[];
  readonly text: string;
  readonly score: number;
  /** Read from a picture of the page: words may be wrong. */
  readonly recognised: boolean;
}

export interface Answer {
  /** Entries of codes that the question names; they come first. */
  readonly codes: readonly CodeEntry[];
  /** False: these manuals do not say; the hits are only the nearest. */
  readonly found: boolean;
  /** Words of the question that stand nowhere in these manuals. */
  readonly unknown: readonly string[];
  readonly hits: readonly Hit[];
}

export interface Question {
  readonly words: string;
  readonly manual?: string;
  readonly limit?: number;
}

const ranking = { depth: 60, damping: 20, meaning: 1, wordsMax: 24 } as const;
/** An answer has this share of the question, its words weighed by rarity, or means much the same if all words are known. */
const foundAt = { coverage: 0.45, cosine: 0.55 } as const;

/** Passages by words, put in order by words and meaning together; each with a quote that stands on its page. */
export async function searchManuals(
  db: Database,
  embedder: Pick<Embedder, "embed" | "model">,
  question: Question,
): Promise<Answer> {
  const words = wordsOf(question.words);
  if (words.length === 0) return { codes: [], found: false, unknown: [], hits: [] };
  const codes = await namedCodes(db, question);
  const { candidates, total, counts } = await findExcerpts(db, {
    words,
    manual: question.manual ?? null,
    limit: ranking.depth,
  });
  const ordered = fuse(await withMeaning(db, embedder, { question, words, candidates }));
  const rarity = counts.map((count) => Math.log(1 + total / (count + 0.5)));
  const whole = rarity.reduce((sum, one) => sum + one, 0) || 1;
  const coverage = ({ has }: Candidate) =>
    has.reduce((sum, place) => sum + (rarity[place - 1] ?? 0), 0) / whole;
  const best = ordered.slice(0, 5);
  const unknown = words.filter((_, index) => counts[index] === 0);
  const found = best.some(
    ({ candidate, cosine }) =>
      coverage(candidate) >= foundAt.coverage || (unknown.length === 0 && cosine >= foundAt.cosine),
  );
  const shown = onePerPage(ordered).slice(0, question.limit ?? 5);
  return {
    codes,
    found: found || codes.length > 0,
    unknown,
    hits: await quoteHits(db, shown, words),
  };
}

/** Words with a digit, or in capitals, may be codes: those are looked up before anything is searched. */
async function namedCodes(db: Database, { words, manual }: Question): Promise<readonly CodeEntry[]> {
  const named = (words.match(/[\p{L}\p{N}]+(?:[.\-_][\p{L}\p{N}]+)*/gu) ?? []).filter(
    (word) => /\p{N}/u.test(word) || /^\p{Lu}{2,4}$/u.test(word),
  );
  const found: CodeEntry[] = [];
  for (const code of [...new Set(named)].slice(0, 5))
    found.push(...(await findCodes(db, { code, manual: manual ?? null })));
  return found;
}

/** The words of a question that say what it is about. */
export function wordsOf(question: string): readonly string[] {
  const all =
    question
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+(?:[.\-/][\p{L}\p{N}_]+)*/gu) ?? [];
  const telling = all.filter((word) => !stopWords.has(word));
  return [...new Set(telling.length > 0 ? telling : all)].slice(0, ranking.wordsMax);
}

interface Ranked {
  readonly candidate: Candidate;
  readonly cosine: number;
  readonly score: number;
}

interface Weighed {
  readonly candidate: Candidate;
  readonly cosine: number;
  /** Places in the two rankings, from 0; null: not among the first. */
  readonly byWords: number | null;
  readonly byMeaning: number | null;
}

/** The candidates by words and the nearest by meaning; without stored meanings the candidates get theirs now. */
async function withMeaning(
  db: Database,
  embedder: Pick<Embedder, "embed" | "model">,
  of: {
    readonly question: Question;
    readonly words: readonly string[];
    readonly candidates: readonly Candidate[];
  },
): Promise<readonly Weighed[]> {
  const { question, words, candidates } = of;
  const [asked] = await embedder.embed([question.words]);
  const meant = await findByMeaning(db, {
    ...{ words, model: embedder.model, vector: vectorText(asked as Float32Array), limit: ranking.depth },
    manual: question.manual ?? null,
    known: candidates.map(({ excerpt }) => excerpt),
  });
  const cosines = meant?.cosines ?? (await meaningsOf(embedder, asked as Float32Array, candidates));
  const all = [...candidates, ...(meant?.further ?? [])];
  const places = new Map(
    [...cosines]
      .sort(([, one], [, other]) => other - one)
      .slice(0, ranking.depth)
      .map(([excerpt], place) => [excerpt, place]),
  );
  return all.map((candidate, index) => ({
    candidate,
    cosine: cosines.get(candidate.excerpt) ?? 0,
    byWords: index < candidates.length ? index : null,
    byMeaning: places.get(candidate.excerpt) ?? null,
  }));
}

async function meaningsOf(
  embedder: Pick<Embedder, "embed">,
  asked: Float32Array,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, number>> {
  const vectors = await embedder.embed(
    candidates.map(({ crumbs, text }) => `${crumbs}. ${text}`.slice(0, 1_400)),
  );
  const cosine = (vector: Float32Array | undefined) =>
    vector?.reduce((sum, value, index) => sum + value * (asked[index] ?? 0), 0) ?? 0;
  return new Map(candidates.map(({ excerpt }, index) => [excerpt, cosine(vectors[index])]));
}

/** Joined by places, so that no scale has to be agreed on. */
function fuse(weighed: readonly Weighed[]): readonly Ranked[] {
  const part = (place: number | null) => (place === null ? 0 : 1 / (ranking.damping + place));
  return weighed
    .map(({ candidate, cosine, byWords, byMeaning }) => ({
      candidate,
      cosine,
      score: part(byWords) + ranking.meaning * part(byMeaning),
    }))
    .sort((one, other) => other.score - one.score);
}

/** An answer is a page: its best passage stands for it. */
function onePerPage(ranked: readonly Ranked[]): readonly Ranked[] {
  const seen = new Set<string>();
  return ranked.filter(({ candidate }) => {
    const id = pageId(candidate.manual, candidate.page);
    return !seen.has(id) && seen.add(id);
  });
}

async function quoteHits(
  db: Database,
  ranked: readonly Ranked[],
  words: readonly string[],
): Promise<readonly Hit[]> {
  const ids = ranked.map(({ candidate }) => pageId(candidate.manual, candidate.page));
  const { readAll } = readersOf(db);
  const byId = new Map((await readAll(pages, ids)).map((one) => [one.id, one]));
  const scanned = ids.filter((_, index) => ranked[index]?.candidate.recognised);
  const readings = new Map((await readAll(recognitions, scanned)).map((one) => [one.id, one]));
  return ranked.map(({ candidate, score }, index) => {
    const { manual, title, page, label, crumbs, text, recognised } = candidate;
    const quote = bestQuote(text, words);
    const own = byId.get(ids[index] ?? "");
    const read = recognised ? (readings.get(ids[index] ?? "")?.lines ?? []) : [];
    const boxes = recognised ? recognisedBoxes(read, quote) : own ? boxesOf(own, quote) : [];
    return { manual, title, page, label, crumbs, quote, boxes, text, score, recognised };
  });
}

const quoteLengthMax = 400;

/** The sentence or line that has most of the question. */
export function bestQuote(text: string, words: readonly string[]): string {
  const spans = text.split("\n").flatMap((line) => {
    const sentences = splitSentences(line).map(({ start, end }) => line.slice(start, end).trim());
    return sentences.length > 0 ? sentences : [line];
  });
  const stems = words.map((word) => word.slice(0, Math.max(4, word.length - 3)));
  const score = (span: string) => {
    const small = span.toLowerCase();
    return stems.filter((stem) => small.includes(stem)).length - small.length / 4_000;
  };
  const [best = text] = spans.filter((span) => span !== "").sort((one, other) => score(other) - score(one));
  return best.slice(0, quoteLengthMax);
}
