import { median } from "../layout/rows.ts";
import type { Cell } from "./table.ts";

/** Shares below which lines with gaps are no table. */
const least = { filled: 0.3, parted: 0.5, aligned: 0.6 } as const;
const alignedPoints = 3;

const marker =
  /^(?:[•▪●■◦○–—*·\-\uf0a0-\uf0ff\ue000-\uf8ff☐✓]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|[ivx]{1,4}[.)])$/u;

/** Tells a table from lists, code and prose: most rows have several cells, and cells of a column stand below each other. */
export function looksLikeTable(cells: readonly Cell[], rows: number, columns: number): boolean {
  if (cells.length < least.filled * rows * columns) return false;
  const counts = new Map<number, number>();
  for (const { row } of cells) counts.set(row, (counts.get(row) ?? 0) + 1);
  if ([...counts.values()].filter((count) => count >= 2).length < least.parted * counts.size) return false;
  const first = cells.filter(({ column }) => column === 0);
  const marked = first.filter(({ text }) => marker.test(text)).length;
  if (columns === 2 && marked >= 0.7 * first.length) return false;
  const shares = Array.from({ length: columns }, (_, column) =>
    alignedShare(cells.filter((cell) => cell.column === column && cell.columns === 1)),
  );
  const known = shares.filter((share) => share !== null);
  return known.length > 0 && known.reduce((sum, share) => sum + share, 0) >= least.aligned * known.length;
}

/** Share of a column's cells with one common left end, right end or middle; null: too few cells to tell. */
function alignedShare(cells: readonly Cell[]): number | null {
  if (cells.length === 0) return null;
  const ends = [
    cells.map(({ box }) => box[0]),
    cells.map(({ box }) => box[2]),
    cells.map(({ box }) => (box[0] + box[2]) / 2),
  ];
  const share = (values: readonly number[]) => {
    const middle = median(values);
    return values.filter((value) => Math.abs(value - middle) < alignedPoints).length / values.length;
  };
  return cells.length < 3 ? 0.5 : Math.max(...ends.map(share));
}
