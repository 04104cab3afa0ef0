import type { DocumentOf } from "@headway/engine";
import type { plans, tables } from "../collections.ts";
import { type Page, tenth, withoutBlocks } from "../page-text.ts";
import type { Box } from "../pdf/upright.ts";
import { storable } from "../storable.ts";
import { captionOf } from "./captions.ts";
import { findTables } from "./find-tables.ts";
import { joinParts } from "./over-pages.ts";

type Plan = DocumentOf<typeof plans>;
type TableBody = Omit<DocumentOf<typeof tables>, "id">;

/** Cells of one table, with its continuations. */
const cellsMax = 20_000;

/** Tables that begin on a page; the last one with its rows on the following pages. */
export function tablesOfPage(plan: Plan, page: Page, following: readonly Page[]): readonly TableBody[] {
  const own = findTables(withoutBlocks(page, plan.running));
  const first = plan.tableGoesOn ? 1 : 0;
  return own.slice(first).map((table, index): TableBody => {
    const isLast = index + first === own.length - 1;
    const more = isLast ? following.flatMap((next) => partOf(next, table.columns)) : [];
    const { rows, cells } = joinParts([{ page: plan.number, table }, ...more]);
    return {
      manual: plan.manual,
      page: plan.number,
      label: plan.label,
      pages: [plan.number, ...more.map((part) => part.page)],
      box: rounded(table.box),
      kind: table.kind,
      caption: captionOf(page, "table", table.box),
      crumbs: crumbsAt(plan, page, table.box[1]),
      rows,
      columns: table.columns,
      cells: cells
        .filter(({ text }) => text !== "")
        .slice(0, cellsMax)
        .map(({ row, column, rows: high, columns: wide, page: number, box, text }) => ({
          ...{ row, column, rows: high, columns: wide, page: number },
          box: rounded(box),
          text: storable(text),
        })),
    };
  });
}

function partOf(page: Page, columns: number) {
  const [table] = findTables(page);
  return table && table.columns === columns ? [{ page: page.number, table }] : [];
}

const rounded = ([x0, y0, x1, y1]: Box): Box => [tenth(x0), tenth(y0), tenth(x1), tenth(y1)];

/** Headings in force at a height of the page. */
export function crumbsAt(plan: Pick<Plan, "headings" | "trail">, page: Page, y: number): string {
  const above = plan.headings.filter(({ block }) => {
    const from = page.blocks[block]?.from;
    return from !== undefined && (page.words[from]?.[2] ?? 0) < y;
  });
  return (above.at(-1)?.trail ?? plan.trail).join(" › ");
}
