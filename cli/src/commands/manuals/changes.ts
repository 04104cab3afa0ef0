import { type Change, compareManuals, readContent } from "@headway/manuals";
import { Refusal } from "../../exit-codes.ts";
import type { Adding } from "../../run.ts";
import { sharedFlags } from "../../shared-options.ts";
import { type Console, oneLine, wrap } from "../../terminal.ts";
import { findManual, lookAtManuals } from "./open.ts";

export function addManualsChanges({ program, console }: Adding): void {
  program
    .command("changes")
    .description("Differences between two editions: pages, codes and tables, with words of both")
    .argument("<before>", "the older manual: its name, or the beginning of it")
    .argument("<after>", "the newer manual")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", "\nExamples:\n  headway manuals changes tide-gauge-rev-a tide-gauge-rev-b")
    .action(async (before, after, options) => {
      await lookAtManuals(options, async (manuals) => {
        const read = async (name: string) => {
          const { id } = await findManual(manuals, name);
          const content = await readContent(manuals.engine.database, id);
          if (!content) throw new Refusal(`There is no manual "${name}": "headway manuals list" shows all.`);
          return content;
        };
        const changes = compareManuals(await read(before), await read(after));
        if (options.json) return changes.forEach(console.writeJson);
        if (changes.length === 0) return console.write("No differences in pages, codes or tables.\n");
        for (const change of changes) console.write(`${changeText(change, console)}\n`);
      });
    });
}

function changeText({ kind, what, name, before, after }: Change, { colors, columns }: Console): string {
  const side = (sign: string, told: Change["before"]) =>
    told ? [wrap(`${sign} ${oneLine(told.quote)} (page ${told.page})`, Math.min(columns, 100), "  ")] : [];
  return [colors.bold(`${kind} ${what}: ${oneLine(name)}`), ...side("-", before), ...side("+", after)].join(
    "\n",
  );
}
