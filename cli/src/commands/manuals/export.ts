import { writeFile } from "node:fs/promises";
import { type ExportFormat, exportFormats, exportManual, readContent, reportManual } from "@headway/manuals";
import { Refusal } from "../../exit-codes.ts";
import type { Adding } from "../../run.ts";
import { sharedFlags } from "../../shared-options.ts";
import { oneLine, printable } from "../../terminal.ts";
import { findManual, lookAtManuals } from "./open.ts";

export function addManualsExport({ program, console }: Adding): void {
  program
    .command("export")
    .description("A whole manual as Markdown, JSON, HTML or, its codes, CSV")
    .argument("<manual>", "its name, or the beginning of it")
    .option("--format <format>", `one of ${exportFormats.join(", ")}`, "md")
    .option("--out <file>", "write to this file instead of the terminal")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .addHelpText(
      "after",
      `
Examples:
  headway manuals export tide-gauge > tide-gauge.md
  headway manuals export tide-gauge --format html --out tide-gauge.html
  headway manuals export tide-gauge --format csv     # codes; tables: headway manuals tables --csv`,
    )
    .action(async (name, options) => {
      const format = exportFormats.find((one) => one === options.format);
      if (!format)
        throw new Refusal(`--format is "${options.format}"; expected one of ${exportFormats.join(", ")}.`, 2);
      await lookAtManuals(options, async (manuals) => {
        const { id } = await findManual(manuals, name);
        const content = await readContent(manuals.engine.database, id);
        if (!content) throw new Refusal(`There is no manual "${name}": "headway manuals list" shows all.`);
        await write(exportManual(content, format satisfies ExportFormat), options.out ?? null);
      });
    });

  async function write(text: string, file: string | null): Promise<void> {
    if (file === null) return console.write(printable(text));
    await writeFile(file, text);
    console.write(`${oneLine(file)}\n`);
  }
}

export function addManualsReport({ program, console }: Adding): void {
  program
    .command("report")
    .description("What a manual is, its contents, codes and tables, and what could not be read")
    .argument("<manual>", "its name, or the beginning of it")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", "\nExamples:\n  headway manuals report tide-gauge")
    .action(async (name, options) => {
      await lookAtManuals(options, async (manuals) => {
        const { id } = await findManual(manuals, name);
        const content = await readContent(manuals.engine.database, id);
        if (!content) throw new Refusal(`There is no manual "${name}": "headway manuals list" shows all.`);
        const report = reportManual(content);
        if (options.json) return console.writeJson(report);
        console.write(printable(report.text));
      });
    });
}
