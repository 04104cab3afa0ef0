import { type Candidate, findCandidates, type Weights, weights } from "./candidates.ts";
import { isProposal, isQuestion, isVote } from "./cues.ts";
import { type Citation, nameOf, type Post, type SummarySentence } from "./post.ts";
import { chooseDiverse, compareAll, rankByLikeness } from "./rank.ts";

export interface ExtractOptions {
  readonly embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>;
  /** Positions, decisions and calls of the thread; their sentences are preferred. */
  readonly salient?: readonly Citation[];
  readonly sentencesMax?: number;
  /** Words of all quotes together. */
  readonly wordsMax?: number;
}

/**
 * A summary of the thread's own sentences, in the order of the conversation. Every post is read; only the best
 * sentences of each are compared pairwise, so a thread of thousands costs no more than a thread of hundreds.
 */
export async function extractSummary(
  posts: readonly Post[],
  { embed, salient = [], sentencesMax = sentencesDefault, wordsMax = wordsDefault }: ExtractOptions,
  tuning: Tuning = tuned,
): Promise<readonly SummarySentence[]> {
  const all = findCandidates(posts, salient, tuning.weights);
  const candidates = narrow(all, posts.length);
  if (candidates.length === 0 || sentencesMax < 1) return [];
  const vectors = await embed(candidates.map(({ words }) => words));
  const alike = compareAll(candidates.map((_, at) => vectors[at] ?? new Float32Array(0)));
  const central = rankByLikeness(alike);
  const chosen = chooseDiverse({
    scores: candidates.map(({ worth }, at) => worth + tuning.central * central[at]!),
    alike,
    count: sentencesMax,
    words: candidates.map(({ words }) => words.split(/\s+/).length),
    wordsMax,
    brevity: tuning.brevity,
    wordsFree: tuning.wordsFree,
    diversity: tuning.diversity,
    crowd: makeCrowd(candidates, tuning.crowd),
  });
  return [...chosen].sort((a, b) => a - b).map((at) => attribute(candidates[at]!, posts));
}

/** Read in half a minute. */
export const wordsDefault = 120;
const sentencesDefault = 12;

export interface Tuning {
  readonly weights: Weights;
  readonly central: number;
  readonly diversity: number;
  readonly crowd: number;
  /** See `chooseDiverse`. */
  readonly brevity: number;
  readonly wordsFree: number;
}

/** See `weights`. */
export const tuned: Tuning = {
  weights,
  central: 0.9,
  diversity: 0.5,
  crowd: 0.2,
  brevity: 0.5,
  wordsFree: 6,
};

const candidatesMax = 400;

/**
 * The best sentences of each post, or of each group of neighbours if there are more posts than candidates; in thread
 * order.
 */
function narrow(all: readonly Candidate[], posts: number): readonly Candidate[] {
  if (all.length <= candidatesMax) return all;
  const groups = Math.min(posts, candidatesMax);
  const each = Math.max(1, Math.floor(candidatesMax / groups));
  const members = new Map<number, Candidate[]>();
  for (const candidate of all) {
    const group = Math.floor((candidate.post * groups) / posts);
    const known = members.get(group);
    if (known === undefined) members.set(group, [candidate]);
    else known.push(candidate);
  }
  return [...members.values()].flatMap((group) => {
    const best = [...group]
      .sort((a, b) => b.worth - a.worth || a.post - b.post || a.start - b.start)
      .slice(0, each);
    return best.sort((a, b) => a.post - b.post || a.start - b.start);
  });
}

/** Share of questions (one in this many) above which a further question has a cost. */
const questionShareMin = 3;
const questionCost = 0.6;

/** A second sentence of a post has a cost, so a summary is not one mail; and so have repeated questions. */
function makeCrowd(candidates: readonly Candidate[], cost: number) {
  return (at: number, chosen: readonly number[]): number => {
    const { post, words } = candidates[at]!;
    const fromSame = chosen.filter((other) => candidates[other]!.post === post).length;
    if (!isQuestion(words)) return cost * fromSame;
    const questions = chosen.filter((other) => isQuestion(candidates[other]!.words)).length;
    return cost * fromSame + (questions * questionShareMin > chosen.length ? questionCost : 0);
  };
}

function attribute(candidate: Candidate, posts: readonly Post[]): SummarySentence {
  const post = posts[candidate.post]!;
  const { start, end, words, isCut } = candidate;
  const text = `${nameOf(post.from)} ${verbFor(words)}: “${words}${isCut ? " …" : ""}”`;
  return { text, citations: [{ message: post.id, start, end, quote: post.clean.slice(start, end) }] };
}

function verbFor(words: string): string {
  if (isVote(words)) return "votes";
  if (isQuestion(words)) return "asks";
  return isProposal(words) ? "proposes" : "writes";
}
