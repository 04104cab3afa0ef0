import type { Span } from "../findings.ts";
import type { PostReading } from "../read-post.ts";
import { paragraphsOf } from "./paragraphs.ts";
import { hearStances, probabilitiesOf } from "./reader.ts";
import { loadWeights, type StanceWeights, stanceKinds } from "./weights.ts";

/** Agreement or disagreement of a whole post: that of its best paragraph. */
export interface HeardPost {
  readonly agrees: HeardSpan;
  readonly disagrees: HeardSpan;
}

/**
 * The sentence that decides, the probability of its paragraph, and the words with the largest part. Unless sure enough to be
 * shown, the whole paragraph and no words: reading sentence by sentence takes most of the time.
 */
export interface HeardSpan {
  readonly span: Span;
  readonly paragraph: Span;
  readonly probability: number;
  readonly why: readonly string[];
  /** Sure enough to be shown as an answer to the question. */
  readonly isAnswer: boolean;
  /** Sure enough to be shown beside the question. */
  readonly isSure: boolean;
}

/** Listens to a post; null for a post without words. */
export type Hear = (reading: Omit<PostReading, "heard">) => HeardPost | null;

const paragraphsMax = 40;
const sentencesMax = 30;

/** Listens paragraph by paragraph. */
export function hearPost(
  reading: Omit<PostReading, "heard">,
  weights: StanceWeights = loadWeights(),
): HeardPost | null {
  const paragraphs = paragraphsOf(reading).slice(0, paragraphsMax);
  const heard = paragraphs.map((placed) => ({
    placed,
    probabilities: probabilitiesOf(placed.paragraph, weights),
  }));
  const best = (kind: "agrees" | "disagrees"): HeardSpan | null => {
    const at = stanceKinds.indexOf(kind);
    let found: { readonly placed: (typeof paragraphs)[number]; readonly probability: number } | undefined;
    for (const { placed, probabilities } of heard) {
      const probability = probabilities[at] as number;
      if (found === undefined || probability > found.probability) found = { placed, probability };
    }
    if (found === undefined) return null;
    const { placed, probability } = found;
    const isAnswer = probability >= (weights.answer[at] as number);
    const isSure = probability >= (weights.sure[at] as number);
    const isShown = isAnswer || isSure;
    return {
      probability,
      why: isShown ? (hearStances(placed.paragraph, weights)[at]?.why ?? []) : [],
      paragraph: placed.span,
      isAnswer,
      isSure,
      span: isShown ? decidingSentence(reading, placed, at, weights) : placed.span,
    };
  };
  const [agrees, disagrees] = [best("agrees"), best("disagrees")];
  return agrees === null || disagrees === null ? null : { agrees, disagrees };
}

/** The sentence of a paragraph with the highest probability by itself; an earlier one if equal. */
function decidingSentence(
  { ownWords, sentences }: Omit<PostReading, "heard">,
  { span, paragraph }: ReturnType<typeof paragraphsOf>[number],
  kind: number,
  weights: StanceWeights,
): Span {
  const inside = sentences
    .filter(({ start, end }) => start < span.end && end > span.start)
    .slice(0, sentencesMax)
    .map(({ start, end }) => ({ start: Math.max(start, span.start), end: Math.min(end, span.end) }));
  let best: { readonly sentence: Span; readonly probability: number } | undefined;
  for (const sentence of inside) {
    const words = ownWords.slice(sentence.start, sentence.end);
    if (!/\p{L}|[+-]1/u.test(words)) continue;
    const said = { ...paragraph, text: words, signals: [] };
    const probability = probabilitiesOf(said, weights)[kind] as number;
    if (best === undefined || probability > best.probability) best = { sentence, probability };
  }
  return best?.sentence ?? span;
}
