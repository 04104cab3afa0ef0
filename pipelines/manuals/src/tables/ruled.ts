import type { Line, Lines } from "../layout/lines.ts";
import { median } from "../layout/rows.ts";
import type { Word } from "../layout/words.ts";
import { type Cell, cellText, type Table } from "./table.ts";

/** `touch`: lines this near cross; `cellsMax` of one grid; smaller steps than `rowMin` and `columnMin` are a drawing. */
const limits = {
  touch: 3,
  cellsMax: 40_000,
  linesMax: 1_500,
  filledMin: 0.15,
  rowMin: 5,
  columnMin: 6,
} as const;

/** Tables drawn with lines: each group of crossing lines is a grid, its cells joined where no line parts them. */
export function findRuled(words: readonly Word[], lines: Lines): readonly Table[] {
  const found = groupLines(lines).flatMap((group) => readGrid(words, group) ?? []);
  const bySize = found.sort((one, other) => areaOf(other) - areaOf(one));
  const kept: Table[] = [];
  for (const table of bySize) if (!kept.some((outer) => isInside(table, outer))) kept.push(table);
  return kept;
}

const areaOf = ({ box: [x0, y0, x1, y1] }: Table): number => (x1 - x0) * (y1 - y0);

function isInside({ box: [x0, y0, x1, y1] }: Table, { box: [ox0, oy0, ox1, oy1] }: Table): boolean {
  return x0 > ox0 - 3 && x1 < ox1 + 3 && y0 > oy0 - 3 && y1 < oy1 + 3;
}

function groupLines({ horizontal, vertical }: Lines): readonly Lines[] {
  const [across, down] = [horizontal.slice(0, limits.linesMax), vertical.slice(0, limits.linesMax)];
  const sets = makeSets(across.length + down.length);
  for (const [i, line] of across.entries())
    for (const [j, other] of down.entries())
      if (holds(line, other.at) && holds(other, line.at)) sets.join(i, across.length + j);
  const groups = new Map<number, { horizontal: Line[]; vertical: Line[] }>();
  for (const [index, line] of [...across, ...down].entries()) {
    const key = sets.find(index);
    const group = groups.get(key) ?? { horizontal: [], vertical: [] };
    groups.set(key, group);
    (index < across.length ? group.horizontal : group.vertical).push(line);
  }
  return [...groups.values()];
}

const holds = ({ from, to }: Line, at: number): boolean => at > from - limits.touch && at < to + limits.touch;

/** Lines that reach this far beyond the outermost crossing line have a column or row there, without an outer line. */
const openSide = 15;

/** Grids without outer lines get them where most of the lines end. */
function close({ horizontal, vertical }: Lines): Lines {
  const ends = (lines: readonly Line[], crossing: readonly Line[]): Line[] => {
    const ats = crossing.map(({ at }) => at);
    const [low, high] = [Math.min(...ats), Math.max(...ats)];
    const [from, to] = [Math.min(...lines.map(({ at }) => at)), Math.max(...lines.map(({ at }) => at))];
    const before = lines.filter((line) => line.from < low - openSide);
    const after = lines.filter((line) => line.to > high + openSide);
    return [
      ...(before.length > 0.5 * lines.length
        ? [{ at: median(before.map((line) => line.from)), from, to }]
        : []),
      ...(after.length > 0.5 * lines.length ? [{ at: median(after.map((line) => line.to)), from, to }] : []),
    ];
  };
  return {
    horizontal: [...horizontal, ...ends(vertical, horizontal)],
    vertical: [...vertical, ...ends(horizontal, vertical)],
  };
}

function readGrid(words: readonly Word[], given: Lines): Table | null {
  if (given.horizontal.length < 2 || given.vertical.length < 2) return null;
  const { horizontal, vertical } = close(given);
  const xs = distinct(vertical.map(({ at }) => at));
  const ys = distinct(horizontal.map(({ at }) => at));
  const [rows, columns] = [ys.length - 1, xs.length - 1];
  if (rows < 1 || columns < 1 || rows * columns < 2 || rows * columns > limits.cellsMax) return null;
  const places = joinCells(xs, ys, { horizontal, vertical });
  const cells = fillCells(words, xs, ys, places);
  const filled = cells.filter(({ text }) => text !== "");
  const steps = (edges: readonly number[]) =>
    median(edges.slice(1).map((edge, at) => edge - (edges[at] ?? 0)));
  if (filled.length < 2 || filled.length < limits.filledMin * cells.length) return null;
  if (steps(xs) < limits.columnMin || steps(ys) < limits.rowMin) return null;
  const [used, lines] = [new Set(filled.map(({ column }) => column)), new Set(filled.map(({ row }) => row))];
  if (used.size < 2 || lines.size < 2) return null;
  const box = [xs[0] ?? 0, ys[0] ?? 0, xs.at(-1) ?? 0, ys.at(-1) ?? 0] as const;
  return { kind: "ruled", box, rows, columns, cells, edges: xs };
}

function distinct(values: readonly number[]): readonly number[] {
  const found: number[] = [];
  for (const value of [...values].sort((one, other) => one - other))
    if (found.length === 0 || value - (found.at(-1) ?? 0) > limits.touch) found.push(value);
  return found;
}

interface Place {
  row: number;
  column: number;
  lastRow: number;
  lastColumn: number;
}

/** Cells of the grid, joined where no line stands between two of them. */
function joinCells(xs: readonly number[], ys: readonly number[], lines: Lines): readonly Place[] {
  const [rows, columns] = [ys.length - 1, xs.length - 1];
  const sets = makeSets(rows * columns);
  const parts = (some: readonly Line[], at: number, place: number) =>
    some.some((line) => Math.abs(line.at - at) <= 3.2 && holds(line, place));
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const y = ((ys[row] ?? 0) + (ys[row + 1] ?? 0)) / 2;
      const x = ((xs[column] ?? 0) + (xs[column + 1] ?? 0)) / 2;
      const own = row * columns + column;
      if (column + 1 < columns && !parts(lines.vertical, xs[column + 1] ?? 0, y)) sets.join(own, own + 1);
      if (row + 1 < rows && !parts(lines.horizontal, ys[row + 1] ?? 0, x)) sets.join(own, own + columns);
    }
  const places = new Map<number, Place>();
  for (let index = 0; index < rows * columns; index++) {
    const [row, column] = [Math.floor(index / columns), index % columns];
    const key = sets.find(index);
    const place = places.get(key) ?? { row, column, lastRow: row, lastColumn: column };
    place.row = Math.min(place.row, row);
    place.column = Math.min(place.column, column);
    place.lastRow = Math.max(place.lastRow, row);
    place.lastColumn = Math.max(place.lastColumn, column);
    places.set(key, place);
  }
  return [...places.values()];
}

function fillCells(
  words: readonly Word[],
  xs: readonly number[],
  ys: readonly number[],
  places: readonly Place[],
): Cell[] {
  const inside = words.filter(({ x0, x1, y0, y1 }) => {
    const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
    return x > (xs[0] ?? 0) && x < (xs.at(-1) ?? 0) && y > (ys[0] ?? 0) && y < (ys.at(-1) ?? 0);
  });
  const owner = new Map<string, Word[]>();
  const of = (edges: readonly number[], at: number) => edges.findLastIndex((edge) => edge <= at);
  for (const word of inside) {
    const key = `${of(ys, (word.y0 + word.y1) / 2)},${of(xs, (word.x0 + word.x1) / 2)}`;
    const list = owner.get(key);
    if (list) list.push(word);
    else owner.set(key, [word]);
  }
  return places.map(({ row, column, lastRow, lastColumn }) => {
    const own: Word[] = [];
    for (let r = row; r <= lastRow; r++)
      for (let c = column; c <= lastColumn; c++) own.push(...(owner.get(`${r},${c}`) ?? []));
    const box = [xs[column] ?? 0, ys[row] ?? 0, xs[lastColumn + 1] ?? 0, ys[lastRow + 1] ?? 0] as const;
    const size = { rows: lastRow - row + 1, columns: lastColumn - column + 1 };
    return { row, column, ...size, box, words: own, text: cellText(own) };
  });
}

function makeSets(size: number) {
  const parents = Array.from({ length: size }, (_, index) => index);
  const find = (index: number): number => {
    let at = index;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at] ?? at] ?? at;
      at = parents[at] ?? at;
    }
    return at;
  };
  return {
    find,
    join(one: number, other: number): void {
      parents[find(one)] = find(other);
    },
  };
}
