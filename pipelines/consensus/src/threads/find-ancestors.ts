import type { Forest } from "./forest.ts";

/** For every node the nearest message above (−1 for none), and the top of its tree. */
export function findAncestors(
  messageCount: number,
  forest: Forest,
): { readonly nearest: readonly number[]; readonly tops: readonly number[] } {
  const nearest: number[] = new Array(forest.size).fill(-1);
  const tops: number[] = new Array(forest.size).fill(-1);
  for (let node = 0; node < forest.size; node += 1) {
    const path: number[] = [];
    let at = node;
    while (tops[at] === -1 && forest.parentOf(at) !== -1) {
      path.push(at);
      at = forest.parentOf(at);
    }
    if (tops[at] === -1) tops[at] = at;
    for (let below = path.pop(); below !== undefined; below = path.pop()) {
      const parent = forest.parentOf(below);
      tops[below] = tops[parent] as number;
      nearest[below] = parent < messageCount ? parent : (nearest[parent] as number);
    }
  }
  return { nearest, tops };
}
