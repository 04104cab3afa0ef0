import type { SplitLine } from "./split-line.ts";

/** The part of an open row that joining needs. */
export interface HeadCell {
  readonly column: number;
  readonly last: number;
  readonly text: string;
}

const headLinesMax = 6;
const numeric =
  /^[\s($€£¥]{0,4}[-–+<>~]?\s?(?=[.,'’ ]{0,4}\d)[\d.,'’ ]{1,40}[)%*†]{0,4}$|^(?:[-–—*]|n\/?a|\(?[xznds]\)?|\.\.\.?)$/i;

/**
 * Lines of a head, as places to be joined to the line above: lines before the first row of numbers, close together, unless the
 * upper one has a cell over several columns with cells of their own below.
 */
export function headJoins(
  lines: readonly SplitLine[],
  cells: readonly (readonly HeadCell[])[],
  of: { readonly ruled: readonly boolean[]; readonly body: number },
): ReadonlySet<number> {
  const isNumbers = (some: readonly HeadCell[]) => {
    const values = some.filter(({ column }) => column > 0);
    return (
      values.length > 0 &&
      values.filter(({ text }) => numeric.test(text.trim())).length >= 0.6 * values.length
    );
  };
  const first = cells.findIndex(isNumbers);
  const body = cells.slice(first);
  if (first < 2 || first > headLinesMax || body.filter(isNumbers).length < 0.5 * body.length)
    return new Set();
  const joined = new Set<number>();
  for (let at = 1; at < first; at++) {
    const [above, own] = [cells[at - 1] ?? [], cells[at] ?? []];
    const gap = (lines[at]?.y0 ?? 0) - (lines[at - 1]?.y1 ?? 0);
    const spans = above.some(
      ({ column, last }) =>
        last > column && own.filter((cell) => cell.column >= column && cell.last <= last).length > 1,
    );
    const alone = own.length === 1 && own[0]?.column === 0;
    if (!spans && !alone && !of.ruled[at - 1] && gap < 0.5 * of.body) joined.add(at);
  }
  return joined;
}

const unfinished =
  /(?:,|[-‐]|\b(?:and|or|of|the|for|to|in|with|by|from|a|an|und|oder|der|des|von|et|ou|de|du|y|e|o|da|do|di))$/i;

/** A name in the first column that goes on in the next line: "Offenses against the family and" / "children 92.4". */
export function nameGoesOn(above: readonly HeadCell[], own: readonly HeadCell[]): boolean {
  const [[upper, ...others], [lower]] = [above, own];
  if (!upper || !lower || upper.column !== 0 || lower.column !== 0) return false;
  const begins = /^\p{Ll}/u.test(lower.text);
  // Numbers may stand in the first line or in the last one, not in both.
  if (others.length > 0 && own.length > 1) return false;
  return (begins || unfinished.test(upper.text)) && !/[.:;]$/.test(upper.text);
}
