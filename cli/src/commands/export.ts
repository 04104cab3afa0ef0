import { Argument, Option } from "@commander-js/extra-typings";
import { type ExportRow, exportable, exportRows, listName } from "@headway/consensus";
import { lookAtConsensus } from "../compose.ts";
import type { Adding } from "../run.ts";
import { sharedFlags } from "../shared-options.ts";

export function addExport({ program, console }: Adding): void {
  program
    .command("export")
    .description("Print results as JSON lines")
    .addArgument(new Argument("<kind>", "what to print").choices(exportable))
    .option("--list <name>", "only of this list", listName)
    .addOption(new Option("--format <format>", "how").choices(["ndjson", "csv"] as const).default("ndjson"))
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway export messages > messages.ndjson
  headway export positions --list quic --format csv > positions.csv

"start" and "end" count UTF-16 code units of "clean", as String.slice does.`,
    )
    .action(async (kind, options) => {
      await lookAtConsensus(options, async ({ engine }) => {
        const write = options.format === "csv" && !options.json ? makeCsv(console.write) : console.writeJson;
        for await (const row of exportRows(engine, kind, options.list)) write(row);
      });
    });
}

/** Rows of one kind have the same fields in the same order, so the first row names the columns. */
function makeCsv(write: (text: string) => void): (row: ExportRow) => void {
  let begun = false;
  return (row) => {
    if (!begun) write(`${Object.keys(row).map(csvCell).join(",")}\r\n`);
    begun = true;
    write(`${Object.values(row).map(csvCell).join(",")}\r\n`);
  };
}

/** Rows with the same fields as one table. */
export function csvTable(rows: readonly ExportRow[]): string {
  const written: string[] = [];
  rows.forEach(makeCsv((text) => void written.push(text)));
  return written.join("");
}

/** Objects as JSON. Text that a spreadsheet would run as a formula is neutralised. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value.replace(/^[=+\-@\t\r]/, "'$&") : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
