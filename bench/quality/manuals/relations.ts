/** A cell with the places it takes, both ends included. */
export interface ScoredCell {
  readonly r0: number;
  readonly r1: number;
  readonly c0: number;
  readonly c1: number;
  readonly text: string;
}

export const plainText = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s\u00ad_.·…\-–—‑]+/g, "")
    .replaceAll(/[’‘`´]/g, "'");

/** Each cell with its right and lower neighbours: a shifted column costs what it should, a missing span little. */
export function relationsOf(cells: readonly ScoredCell[]): readonly string[] {
  const full = cells.filter(({ text }) => plainText(text) !== "");
  const found = new Set<string>();
  const texts: string[] = [];
  const add = (way: string, one: ScoredCell, other: ScoredCell | null) => {
    if (!other) return;
    const key = `${way} ${full.indexOf(one)} ${full.indexOf(other)}`;
    if (found.has(key)) return;
    found.add(key);
    texts.push(`${way}|${plainText(one.text)}|${plainText(other.text)}`);
  };
  const byRow = groupBy(full, ({ r0, r1 }) => [r0, r1]);
  const byColumn = groupBy(full, ({ c0, c1 }) => [c0, c1]);
  for (const one of full) {
    for (let row = one.r0; row <= one.r1; row++)
      add(
        "right",
        one,
        nearest(byRow.get(row) ?? [], ({ c0 }) => c0, one.c1),
      );
    for (let column = one.c0; column <= one.c1; column++)
      add(
        "down",
        one,
        nearest(byColumn.get(column) ?? [], ({ r0 }) => r0, one.r1),
      );
  }
  return texts;
}

function groupBy(cells: readonly ScoredCell[], span: (cell: ScoredCell) => readonly [number, number]) {
  const groups = new Map<number, ScoredCell[]>();
  for (const cell of cells) {
    const [from, to] = span(cell);
    for (let at = from; at <= to; at++) groups.set(at, [...(groups.get(at) ?? []), cell]);
  }
  return groups;
}

function nearest(
  cells: readonly ScoredCell[],
  at: (cell: ScoredCell) => number,
  after: number,
): ScoredCell | null {
  let best: ScoredCell | null = null;
  for (const cell of cells) if (at(cell) > after && (!best || at(cell) < at(best))) best = cell;
  return best;
}

/** How many of the given texts are among the found ones, each counted once. */
export function agreement(given: readonly string[], found: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const text of given) counts.set(text, (counts.get(text) ?? 0) + 1);
  return found.filter((text) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count > 0;
  }).length;
}
