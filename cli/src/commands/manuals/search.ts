import type { Answer, Hit } from "@headway/manuals";
import { Refusal } from "../../exit-codes.ts";
import type { Adding } from "../../run.ts";
import { parseCount, sharedFlags } from "../../shared-options.ts";
import { type Console, oneLine, wrap } from "../../terminal.ts";
import { codeText } from "./codes.ts";
import { findManual, lookAtManuals } from "./open.ts";

export function addManualsSearch({ program, console }: Adding): void {
  program
    .command("search")
    .description("Find the page that answers, with the words that do")
    .argument("<words...>", "a question, a code or words to look for")
    .option("--manual <name>", "only in this manual")
    .option("--limit <number>", "how many pages", "5")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway manuals search "what does E-117 mean?" --manual tide-gauge`)
    .action(async (words, options) => {
      const asked = words.join(" ").trim();
      if (asked === "") throw new Refusal('Say what to look for: headway manuals search "words".', 2);
      const limit = parseCount(options.limit, "--limit", 100);
      await lookAtManuals(options, async (manuals) => {
        const manual = options.manual === undefined ? null : (await findManual(manuals, options.manual)).id;
        const answer = await manuals.search({ words: asked, limit, ...(manual !== null && { manual }) });
        if (options.json) return console.writeJson(answer);
        tellAnswer(answer, console);
      });
    });
}

export function tellAnswer({ codes, found, unknown, hits }: Answer, console: Console): void {
  for (const entry of codes) console.write(`${codeText(entry, console)}\n\n`);
  if (!found) {
    const missing = unknown.length > 0 ? ` They do not have: ${unknown.map(oneLine).join(", ")}.` : "";
    const nearest = hits.length > 0 ? " The nearest passages:" : "";
    console.write(`Not in these manuals.${missing}${nearest}\n\n`);
  }
  for (const hit of hits) console.write(`${hitText(hit, console)}\n\n`);
}

function hitText({ title, manual, page, label, crumbs, quote }: Hit, console: Console): string {
  const { colors } = console;
  const printed = label !== "" && label !== String(page) ? ` (printed ${oneLine(label)})` : "";
  const where = crumbs === "" ? "" : ` · ${oneLine(crumbs)}`;
  return [
    `${colors.bold(oneLine(title || manual))}, page ${page}${printed}`,
    colors.dim(`${oneLine(manual)}${where}`),
    wrap(`“${oneLine(quote)}”`, Math.min(console.columns, 100), "  "),
  ].join("\n");
}
