import type { DocumentOf } from "@headway/engine";
import type { plans } from "../collections.ts";
import { type Page, withoutBlocks } from "../page-text.ts";
import { findTables } from "../tables/find-tables.ts";
import { tablesOfPage } from "../tables/tables-of-page.ts";
import { promisedOn } from "./promised.ts";
import { readTroubles, type TroubleEntry } from "./read-troubles.ts";
import { readTableEntries } from "./table-entries.ts";

type Plan = DocumentOf<typeof plans>;
type TableBody = ReturnType<typeof tablesOfPage>[number];

/** An entry with its page: a table that goes on has entries on later pages. */
export interface Entry extends Omit<TroubleEntry, "reader"> {
  readonly page: number;
  readonly reader: TroubleEntry["reader"] | "cells";
}

/** Tables that begin on a page, and all entries: cells of drawn tables first, then what is read line by line. */
export function harvestPage(
  plan: Plan,
  page: Page,
  { next, following }: { readonly next: Page | null; readonly following: readonly Page[] },
): { readonly tables: readonly TableBody[]; readonly entries: readonly Entry[] } {
  const tables = tablesOfPage(plan, page, following);
  const drawn = tables.filter(({ kind }) => kind === "ruled");
  const inCells = drawn.map((table) => ({ table, entries: readTableEntries(table.cells) }));
  const read = inCells.filter(({ entries }) => entries.length > 0);
  const own = withoutBlocks(page, plan.running);
  const rest = withoutAreas(own, [...read.map(({ table }) => table.box), ...takenBefore(plan, own)]);
  const lines = readTroubles(rest, plan.carried, next, promisedOn(plan, page)).entries;
  return {
    tables,
    entries: [
      ...read.flatMap(({ entries }) => entries.map((entry) => ({ ...entry, reader: "cells" as const }))),
      ...lines.map((entry) => ({ ...entry, page: plan.number })),
    ],
  };
}

/** The box of a drawn table that began on an earlier page: its entries were read there. */
function takenBefore(plan: Plan, own: Page): readonly TableBody["box"][] {
  const [first] = plan.tableGoesOn ? findTables(own) : [];
  return first?.kind === "ruled" ? [first.box] : [];
}

/** The page without the words in these boxes. */
function withoutAreas(page: Page, areas: readonly (readonly [number, number, number, number])[]): Page {
  if (areas.length === 0) return page;
  const words = page.words.filter(([, x0, y0, x1, y1]) => {
    const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
    return !areas.some(([ax0, ay0, ax1, ay1]) => x > ax0 - 2 && x < ax1 + 2 && y > ay0 - 2 && y < ay1 + 2);
  });
  return { ...page, words, blocks: [] };
}
