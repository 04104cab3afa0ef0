import { type CodeEntry, type FindingLine, findCodes, type PartLine, readOf } from "@headway/manuals";
import type { Adding } from "../../run.ts";
import { sharedFlags } from "../../shared-options.ts";
import { type Console, oneLine, wrap } from "../../terminal.ts";
import { findManual, lookAtManuals } from "./open.ts";

export function addManualsCodes({ program, console }: Adding): void {
  program
    .command("codes")
    .description("Error codes and troubles with cause and remedy, each with its page")
    .argument("[code]", "only this one")
    .option("--manual <name>", "only of this manual")
    .option("--without-remedy", "only those whose remedy was not found")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway manuals codes E-117\n  headway manuals codes --manual tide-gauge --json`,
    )
    .action(async (code, options) => {
      await lookAtManuals(options, async (manuals) => {
        const manual = options.manual === undefined ? null : (await findManual(manuals, options.manual)).id;
        const all = await findCodes(manuals.engine.database, { code: code ?? null, manual });
        const found = all.filter(({ remedy }) => !options.withoutRemedy || remedy === "");
        if (options.json) return found.forEach(console.writeJson);
        if (found.length === 0) return console.warn("No such code was found in these manuals.\n");
        for (const entry of found) console.write(`${codeText(entry, console)}\n\n`);
      });
    });
}

export function codeText(entry: CodeEntry, { colors, columns }: Console): string {
  const { code, problem, cause, remedy, manual, page } = entry;
  const width = Math.min(columns, 100);
  const field = (name: string, text: string) =>
    text === "" ? [] : [wrap(`${name}: ${oneLine(text)}`, width, "  ")];
  return [
    `${colors.bold(oneLine(code ?? "trouble"))} ${oneLine(problem)}`,
    colors.dim(`${oneLine(manual)}, page ${page}`),
    ...field("cause", cause),
    ...field("remedy", remedy),
  ].join("\n");
}

export function addManualsFindings({ program, console }: Adding): void {
  program
    .command("findings")
    .description("What of a manual could not be read, or is not there although the manual promises it")
    .argument("<manual>", "its name, or the beginning of it")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .action(async (name, options) => {
      await lookAtManuals(options, async (manuals) => {
        const { id } = await findManual(manuals, name);
        const found = await readOf<FindingLine>(manuals.engine.database, "findings", id);
        if (options.json) return found.forEach(console.writeJson);
        if (found.length === 0) return console.write("No findings: everything that is there was read.\n");
        for (const { code, says } of found)
          console.write(
            `${console.colors.bold(code)}\n${wrap(oneLine(says), Math.min(console.columns, 100), "  ")}\n`,
          );
      });
    });
}

export function addManualsParts({ program, console }: Adding): void {
  program
    .command("parts")
    .description("Parts of a manual with number, position and quantity")
    .argument("<manual>", "its name, or the beginning of it")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .action(async (name, options) => {
      await lookAtManuals(options, async (manuals) => {
        const { id } = await findManual(manuals, name);
        const found = await readOf<PartLine>(manuals.engine.database, "parts", id);
        if (options.json) return found.forEach(console.writeJson);
        if (found.length === 0) return console.warn("No parts list was found in this manual.\n");
        for (const { number, position, description, quantity, page } of found)
          console.write(
            `${oneLine([position, number, description, quantity].filter(Boolean).join(" · "))}, page ${page}\n`,
          );
      });
    });
}
