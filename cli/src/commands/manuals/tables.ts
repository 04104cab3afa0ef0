import { gridOf, readOf, type TableBody, tableCsv, tableMarkdown } from "@headway/manuals";
import type { Adding } from "../../run.ts";
import { parseCount, sharedFlags } from "../../shared-options.ts";
import { oneLine, printable } from "../../terminal.ts";
import { findManual, lookAtManuals } from "./open.ts";

export function addManualsTables({ program, console }: Adding): void {
  program
    .command("tables")
    .description("Tables of a manual, over page ends too")
    .argument("<manual>", "its name, or the beginning of it")
    .option("--page <number>", "only those on this page, as the file counts")
    .option("--csv", "print CSV, a blank line between tables")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway manuals tables pump --page 12
  headway manuals tables pump --csv > tables.csv
  headway manuals tables pump --json     # cells with row, column, spans, page and box`,
    )
    .action(async (name, options) => {
      await lookAtManuals(options, async (manuals) => {
        const { id } = await findManual(manuals, name);
        const page = options.page === undefined ? null : parseCount(options.page, "--page", 100_000);
        const all = await readOf<TableBody>(manuals.engine.database, "tables", id);
        const found = all.filter(({ pages }) => page === null || pages.includes(page));
        if (options.json)
          return found.forEach((table) => {
            console.writeJson({ ...table, grid: gridOf(table) });
          });
        if (found.length === 0) return console.warn("No tables were found there.\n");
        if (options.csv)
          return console.write(`${found.map((table) => printable(tableCsv(table))).join("\n")}`);
        for (const table of found) {
          const where = table.pages.length > 1 ? `pages ${table.pages.join(", ")}` : `page ${table.page}`;
          const title = table.caption || table.crumbs || "Table";
          console.write(
            `${console.colors.bold(oneLine(title))}, ${where}\n${printable(tableMarkdown(table))}\n\n`,
          );
        }
      });
    });
}
