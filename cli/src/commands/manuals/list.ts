import { listManuals, type Page, pageText, readOf, tellReading } from "@headway/manuals";
import { Refusal } from "../../exit-codes.ts";
import type { Adding } from "../../run.ts";
import { parseCount, sharedFlags } from "../../shared-options.ts";
import { oneLine, printable, table } from "../../terminal.ts";
import { findManual, lookAtManuals } from "./open.ts";

export function addManualsList({ program, console }: Adding): void {
  program
    .command("list")
    .description("All manuals, and how much of each was read")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .action(async (options) => {
      await lookAtManuals(options, async ({ engine }) => {
        const lines = await listManuals(engine.database);
        if (options.json) return lines.forEach(console.writeJson);
        if (lines.length === 0)
          return console.warn('No manuals yet: "headway manuals ingest PATH" reads some.\n');
        const text = table(
          lines,
          [
            { title: "manual", of: ({ id }) => id },
            { title: "pages", of: ({ pages }) => String(pages), align: "right" },
            { title: "codes", of: ({ codes }) => String(codes), align: "right" },
            { title: "state", of: tellReading },
            { title: "title", of: ({ title }) => oneLine(title) },
          ],
          console.columns,
        );
        console.write(`${text}\n`);
      });
    });
}

export function addManualsShow({ program, console }: Adding): void {
  program
    .command("show")
    .description("What a manual is, or the text of one of its pages")
    .argument("<manual>", "its name, or the beginning of it")
    .option("--page <number>", "the text of this page, as the file counts")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway manuals show tide-gauge --page 12`)
    .action(async (name, options) => {
      await lookAtManuals(options, async (manuals) => {
        const line = await findManual(manuals, name);
        const { database } = manuals.engine;
        if (options.page === undefined) {
          if (options.json) return console.writeJson(line);
          console.write(`${oneLine(line.title)}\n${oneLine(line.id)} · ${oneLine(line.place)}\n`);
          return console.write(`${line.pages} pages, ${tellReading(line)}; ${line.codes} codes\n`);
        }
        const number = parseCount(options.page, "--page", 100_000);
        const page = (await readOf<Page>(database, "pages", line.id)).find((one) => one.number === number);
        if (!page)
          throw new Refusal(`Page ${number} of ${line.id} was not read: "headway failed list" says why.`);
        if (options.json) return console.writeJson(page);
        console.write(`${printable(pageText(page))}\n`);
      });
    });
}
