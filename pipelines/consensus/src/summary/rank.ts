/**
 * Cosine similarity of all pairs: 1 for the same direction, 0 for none or for a broken vector. The caller
 * bounds the number.
 */
export function compareAll(vectors: readonly Float32Array[]): readonly Float64Array[] {
  const units = vectors.map(toUnit);
  const rows = vectors.map(() => new Float64Array(vectors.length));
  for (let a = 0; a < units.length; a++) {
    for (let b = a + 1; b < units.length; b++) {
      const alike = dot(units[a]!, units[b]!);
      rows[a]![b] = alike;
      rows[b]![a] = alike;
    }
  }
  return rows;
}

function toUnit(vector: Float32Array): Float64Array {
  let sum = 0;
  for (let at = 0; at < vector.length; at++) sum += vector[at]! * vector[at]!;
  const length = Math.sqrt(sum);
  if (!(length > 0 && Number.isFinite(length))) return new Float64Array(0);
  const unit = new Float64Array(vector.length);
  for (let at = 0; at < vector.length; at++) unit[at] = vector[at]! / length;
  return unit;
}

/** Four sums at a time, for a processor's parallel additions. */
function dot(a: Float64Array, b: Float64Array): number {
  const count = Math.min(a.length, b.length);
  const even = count - (count % 4);
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let at = 0; at < even; at += 4) {
    s0 += a[at]! * b[at]!;
    s1 += a[at + 1]! * b[at + 1]!;
    s2 += a[at + 2]! * b[at + 2]!;
    s3 += a[at + 3]! * b[at + 3]!;
  }
  for (let at = even; at < count; at++) s0 += a[at]! * b[at]!;
  return s0 + s1 + s2 + s3;
}

const damping = 0.85;
const roundsMax = 30;
/** Below this, sentences of one thread merely share a language. */
const likeMin = 0.2;

/** PageRank over similarity: a sentence counts if similar sentences count. From 0 to 1. */
export function rankByLikeness(alike: readonly Float64Array[]): readonly number[] {
  const count = alike.length;
  if (count === 0) return [];
  const links = alike.map((row) => row.map((value) => (value > likeMin ? value : 0)));
  const sums = links.map((row) => row.reduce((sum, value) => sum + value, 0));
  let ranks = new Float64Array(count).fill(1 / count);
  for (let round = 0; round < roundsMax; round++) {
    const next = new Float64Array(count).fill((1 - damping) / count);
    for (let from = 0; from < count; from++) {
      const share = sums[from]! > 0 ? (damping * ranks[from]!) / sums[from]! : 0;
      if (share === 0) continue;
      const row = links[from]!;
      for (let to = 0; to < count; to++) next[to]! += share * row[to]!;
    }
    ranks = next;
  }
  const largest = ranks.reduce((max, rank) => Math.max(max, rank), 0);
  return Array.from(ranks, (rank) => (largest > 0 ? rank / largest : 0));
}

/** Above this, two sentences say the same in the same words. */
const sameMin = 0.95;

/**
 * The best candidates without repetition (maximal marginal relevance); `crowd` is a candidate's further loss
 * because of earlier choices. Equal candidates are taken in order.
 */
export function chooseDiverse(given: {
  readonly scores: readonly number[];
  readonly alike: readonly Float64Array[];
  readonly count: number;
  /** Words of each candidate, and of the whole choice; the first choice may be longer. */
  readonly words: readonly number[];
  readonly wordsMax: number;
  /** Price of length: 0 for none, 1 in proportion to words beyond `wordsFree`. */
  readonly brevity: number;
  readonly wordsFree: number;
  readonly diversity: number;
  readonly crowd: (candidate: number, chosen: readonly number[]) => number;
}): readonly number[] {
  const chosen: number[] = [];
  const nearest = given.scores.map(() => 0);
  const free = new Set(given.scores.keys());
  let wordsLeft = given.wordsMax;
  while (chosen.length < given.count && free.size > 0) {
    let best = -1;
    let bestValue = Number.NEGATIVE_INFINITY;
    for (const at of free) {
      if (nearest[at]! > sameMin || (chosen.length > 0 && given.words[at]! > wordsLeft)) continue;
      const alone = given.scores[at]! - given.diversity * nearest[at]! - given.crowd(at, chosen);
      const value = alone / Math.max(given.wordsFree, given.words[at]!) ** given.brevity;
      if (value > bestValue) [best, bestValue] = [at, value];
    }
    if (best === -1) break;
    free.delete(best);
    chosen.push(best);
    wordsLeft -= given.words[best]!;
    for (const at of free) nearest[at] = Math.max(nearest[at]!, given.alike[best]![at]!);
  }
  return chosen;
}
