/** A run of words of two texts. */
export interface WordRun {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

/** Longer texts are shown whole, one after the other. */
const wordsMax = 600;

/** Words of two texts: common ones, those of the former text, those of the later. */
export function compareWords(before: string, after: string): readonly WordRun[] {
  const [a, b] = [split(before), split(after)];
  if (a.length > wordsMax || b.length > wordsMax)
    return [
      { kind: "gone", text: before },
      { kind: "new", text: after },
    ];
  const lengths = commonLengths(a, b);
  const runs: WordRun[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [one, other] = [a[i], b[j]];
    if (one !== undefined && one === other) {
      push(runs, "same", one);
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && at(lengths, i + 1, j) >= at(lengths, i, j + 1))) {
      push(runs, "gone", one as string);
      i++;
    } else {
      push(runs, "new", other as string);
      j++;
    }
  }
  return runs;
}

const split = (text: string): string[] => text.match(/\s+|[^\s]+/g) ?? [];
const at = (lengths: readonly Uint16Array[], i: number, j: number): number => lengths[i]?.[j] ?? 0;

/** Length of the longest common part of the rests that begin at `i` and `j`. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint16Array[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      (lengths[i] as Uint16Array)[j] =
        a[i] === b[j]
          ? at(lengths, i + 1, j + 1) + 1
          : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
  return lengths;
}

function push(runs: WordRun[], kind: WordRun["kind"], text: string): void {
  const last = runs.at(-1);
  if (last?.kind === kind) runs[runs.length - 1] = { kind, text: last.text + text };
  else runs.push({ kind, text });
}
