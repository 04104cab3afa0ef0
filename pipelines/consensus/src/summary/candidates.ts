import { isProse, splitSentences } from "@headway/text";
import { isQuestion, isVote, ordersMachine, readCues } from "./cues.ts";
import { type Citation, cutAtWord, oneLine, type Post } from "./post.ts";
import { saysEnough } from "./verify.ts";

/** A candidate sentence for a summary. */
export interface Candidate {
  /** Rank of the post in the thread. */
  readonly post: number;
  readonly start: number;
  readonly end: number;
  readonly words: string;
  readonly isCut: boolean;
  readonly isSalient: boolean;
  /** Worth by itself, independent of other candidates. */
  readonly worth: number;
}

/**
 * Weights of a sentence's features, fitted to the choices of the BC3 readers, each half
 * of the threads tested with the other; `salient` and `idle` are ours: positions matter here, small talk never does.
 */
export const weights = {
  /** A sentence, not a scrap. */
  length: 0.8,
  /** First in its message, or among the first. */
  early: 1,
  lead: 1,
  /** Addresses and titles: the remains of signatures and announcements. */
  noise: -1.1,
  question: 0.5,
  cue: 0.5,
  /** Words that recur in other people's posts. */
  clue: 1,
  subject: 0.8,
  opening: 0.25,
  salient: 2,
  idle: -2,
} as const;
export type Weights = { readonly [Name in keyof typeof weights]: number };

const charactersMax = 360;

/** All readable sentences of a thread, with their worth; linear in the thread. */
export function findCandidates(
  posts: readonly Post[],
  salient: readonly Citation[] = [],
  by: Weights = weights,
): readonly Candidate[] {
  const marked = groupByMessage(salient);
  const clues = countClues(posts);
  const subject = new Set(stems(posts[0]?.subject ?? ""));
  return posts.flatMap((post, at) => {
    const spans = splitSentences(post.clean)
      .map(({ start, end }) => trimMarker(post.clean, start, end))
      .filter(({ start, end }) =>
        isReadable(post.clean.slice(start, Math.min(end, start + 4 * charactersMax))),
      )
      .filter(({ start, end }) => saysEnough(post.clean, start, end));
    const marks = makeMarks(marked.get(post.id) ?? []);
    return spans.map(({ start, end }, place): Candidate => {
      const whole = oneLine(post.clean.slice(start, Math.min(end, start + 2 * charactersMax)));
      const shown = shorten(post.clean, start, end);
      const isSalient = marks(start, end);
      const features = {
        length: lengthWorth(whole),
        early: 1 / (1 + place / 2),
        lead: 1 - place / spans.length,
        noise: noiseIn(whole),
        question: isQuestion(whole) ? 1 : 0,
        ...cueWorth(whole),
        clue: clueWorth(whole, clues),
        subject: overlap(whole, subject),
        opening: at === 0 ? 1 : 0,
        salient: isSalient ? salientWorth(whole) : 0,
      };
      const worth = Object.entries(features).reduce(
        (sum, [name, value]) => sum + by[name as keyof Weights] * value,
        0,
      );
      return { post: at, start, end: shown.end, words: shown.words, isCut: shown.isCut, isSalient, worth };
    });
  });
}

/** A bullet or number in front belongs to the list, not to the sentence. */
function trimMarker(
  text: string,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } {
  const marker = /^(?:[-*+•·o–—]\s+|\(?\d{1,3}[.)]\s+|\[\d{1,3}\]\s+|#{1,6}\s+)/.exec(
    text.slice(start, start + 16),
  );
  const trimmed = start + (marker?.[0].length ?? 0);
  return { start: trimmed < end ? trimmed : start, end };
}

function isReadable(sentence: string): boolean {
  if (ordersMachine(sentence)) return false;
  if (isVote(sentence)) return true;
  return isProse(sentence) && (sentence.match(/\p{L}{2,}|[\u3040-\u30ff\u3400-\u9fff]/gu)?.length ?? 0) >= 3;
}

/** An overlong sentence is cut at a word, so its citation stays exact. */
function shorten(text: string, start: number, end: number) {
  if (end - start <= charactersMax) return { end, words: oneLine(text.slice(start, end)), isCut: false };
  const kept = cutAtWord(text.slice(start, start + charactersMax + 1), charactersMax);
  return { end: start + kept.length, words: oneLine(kept), isCut: true };
}

/** Grows to 12 words, the length of a thought. */
const lengthWorth = (words: string): number => Math.min(1, words.split(" ").length / 12);

/** A bare "+1" tells less than the words of an objection; votes are counted elsewhere. */
const salientWorth = (words: string): number => Math.min(1, words.split(" ").length / 5);

function noiseIn(words: string): number {
  const all = words.split(" ");
  const capitals = all.filter((word) => /^\W?\p{Lu}/u.test(word)).length / all.length;
  const hasAddress = /https?:|www\.|\S@\S/.test(words);
  return Math.min(1, (hasAddress ? 1 : 0) + 2 * Math.max(0, capitals - 0.25));
}

function cueWorth(words: string): { readonly cue: number; readonly idle: number } {
  const { weight, isIdle } = readCues(words);
  return { cue: weight, idle: isIdle ? 1 : 0 };
}

const stemLength = 6;
const emptyWords = new Set(
  (
    "that this with from have will would could should there their about which what when where them then " +
    "than they been were your also some such into only other more most very just like does " +
    "didn doesn isn wasn here these those"
  ).split(" "),
);

/** Words with meaning, cut to stems. */
function stems(text: string): readonly string[] {
  const found = text.toLowerCase().match(/\p{L}{4,40}|[\u3040-\u30ff\u3400-\u9fff]/gu) ?? [];
  return found.filter((word) => !emptyWords.has(word)).map((word) => word.slice(0, stemLength));
}

/** Number of people using each word: the topic of a discussion recurs in other people's words. */
function countClues(posts: readonly Post[]): ReadonlyMap<string, number> {
  const users = new Map<string, Set<string>>();
  for (const post of posts) {
    for (const stem of stems(post.clean)) {
      const known = users.get(stem);
      if (known === undefined) users.set(stem, new Set([post.from.address]));
      else known.add(post.from.address);
    }
  }
  return new Map([...users].map(([stem, people]) => [stem, people.size]));
}

function clueWorth(words: string, clues: ReadonlyMap<string, number>): number {
  const shared = [...new Set(stems(words))].map((stem) => Math.min(3, (clues.get(stem) ?? 1) - 1) / 3);
  return Math.min(1, shared.reduce((sum, each) => sum + each, 0) / 5);
}

function overlap(words: string, subject: ReadonlySet<string>): number {
  if (subject.size === 0) return 0;
  const shared = new Set(stems(words).filter((stem) => subject.has(stem)));
  return shared.size / subject.size;
}

function groupByMessage(citations: readonly Citation[]): ReadonlyMap<string, readonly Citation[]> {
  const groups = new Map<string, Citation[]>();
  for (const citation of citations) {
    const group = groups.get(citation.message);
    if (group === undefined) groups.set(citation.message, [citation]);
    else group.push(citation);
  }
  return groups;
}

/** Whether a span touches a marked span; call in text order, so both lists are walked once. */
function makeMarks(citations: readonly Citation[]): (start: number, end: number) => boolean {
  const sorted = [...citations].sort((a, b) => a.start - b.start || a.end - b.end);
  let next = 0;
  let reach = -1;
  return (start, end) => {
    while (next < sorted.length && sorted[next]!.start < end) reach = Math.max(reach, sorted[next++]!.end);
    return reach > start;
  };
}
