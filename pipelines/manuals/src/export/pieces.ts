import { blockText, type Page } from "../page-text.ts";
import type { Box } from "../pdf/upright.ts";
import type { ManualContent, TableOf } from "./manual-content.ts";

/** A piece of a page in reading order. */
export type Piece =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "table"; readonly table: TableOf }
  | { readonly kind: "picture"; readonly caption: string; readonly box: Box };

/** A page in pieces: running heads are left out, a table stands where its first words stood. */
export function piecesOf(content: ManualContent, page: Page): readonly Piece[] {
  const plan = content.plans.find(({ number }) => number === page.number);
  const headings = new Map(plan?.headings.map(({ block, trail }) => [block, trail.length]) ?? []);
  const tables = content.tables.filter((table) => table.pages.includes(page.number));
  const told = new Set<TableOf>();
  const pieces: Piece[] = [];
  for (const [index, block] of page.blocks.entries()) {
    if (plan?.running.includes(index)) continue;
    const table = tables.find((one) => standsIn(page, block, one));
    if (table) {
      // Rows of later pages are part of the first page's table.
      if (!told.has(table) && table.page === page.number) pieces.push({ kind: "table", table });
      told.add(table);
      continue;
    }
    const { text } = blockText(page, index);
    if (text.trim() === "") continue;
    const level = headings.get(index);
    pieces.push(level === undefined ? { kind: "text", text } : { kind: "heading", level, text });
  }
  const pictures = content.pictures
    .filter((picture) => picture.page === page.number)
    .map(({ caption, box }): Piece => ({ kind: "picture", caption, box }));
  return [...pieces, ...pictures];
}

function standsIn(page: Page, { from, to }: Page["blocks"][number], table: TableOf): boolean {
  const boxes = table.cells.filter(({ page: on }) => on === page.number).map(({ box }) => box);
  if (boxes.length === 0) return false;
  const [x0, y0] = [Math.min(...boxes.map(([x]) => x)), Math.min(...boxes.map(([, y]) => y))];
  const [x1, y1] = [Math.max(...boxes.map(([, , x]) => x)), Math.max(...boxes.map(([, , , y]) => y))];
  const words = page.words.slice(from, to);
  const inside = words.filter(([, wx0, wy0, wx1, wy1]) => {
    const [x, y] = [(wx0 + wx1) / 2, (wy0 + wy1) / 2];
    return x > x0 - 2 && x < x1 + 2 && y > y0 - 2 && y < y1 + 2;
  });
  return words.length > 0 && inside.length > 0.7 * words.length;
}
