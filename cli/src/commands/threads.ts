import { Option } from "@commander-js/extra-typings";
import { listName, listThreads, type ThreadLine } from "@headway/consensus";
import { lookAtConsensus } from "../compose.ts";
import type { Adding } from "../run.ts";
import { parseCount, parseDate, sharedFlags } from "../shared-options.ts";
import { type Column, type Console, shorten, showCount, showDay, table } from "../terminal.ts";

const levels = ["strong", "rough", "contested", "none", "undecided"] as const;
const orders = ["newest", "largest", "interesting"] as const;

export function addThreads({ program, console }: Adding): void {
  program
    .command("threads")
    .description("List what was talked about, and what it came to")
    .option("--list <name>", "only of this list", listName)
    .addOption(new Option("--level <level>", "only with this outcome").choices(levels))
    .option("--subject <words>", "only with this in the subject")
    .option("--asks <words>", "only with this in the question")
    .option("--since <date>", "only with a message since then")
    .option("--limit <number>", "how many", "30")
    .addOption(new Option("--order <order>", "which first").choices(orders).default("newest" as const))
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway threads --level contested\n  headway threads --order interesting --limit 5`,
    )
    .action(async (options) => {
      const { list, level, subject, asks, since, limit, order, json } = options;
      const filter = {
        ...(list !== undefined && { list }),
        ...(level !== undefined && { level }),
        ...(subject !== undefined && { subject }),
        ...(asks !== undefined && { asks }),
        ...(since !== undefined && { since: parseDate(since, "--since") }),
        limit: parseCount(limit, "--limit", 100_000),
        order,
      };
      const lines = await lookAtConsensus(options, ({ engine }) => listThreads(engine.database, filter));
      if (json) return lines.forEach(console.writeJson);
      if (lines.length === 0) return console.warn("No thread fits.\n");
      console.write(`${showThreads(lines, console)}\n`);
      console.warn(`${showCount(lines.length, "thread")}. Look at one with: headway report ID\n`);
    });
}

/** Fits a terminal of 80 columns, and is not cut in a pipe; the list is named only where there are several. */
export function showThreads(
  lines: readonly ThreadLine[],
  { columns: width, piped = false }: Pick<Console, "columns" | "piped">,
): string {
  const isOneList = new Set(lines.map(({ list }) => list)).size < 2;
  const shown = columns.filter(({ title }) => title !== "LIST" || !isOneList);
  return table(lines, shown, piped ? Number.POSITIVE_INFINITY : width);
}

const listWidthMax = 16;

const columns: readonly Column<ThreadLine>[] = [
  { title: "ID", of: ({ id }) => shortId(id) },
  { title: "LIST", of: ({ list }) => shorten(list, listWidthMax) },
  { title: "SUBJECT", of: ({ subject }) => subject, flexible: true },
  { title: "MAILS", of: ({ messages }) => String(messages), align: "right" },
  { title: "LAST", of: ({ lastDate }) => showDay(lastDate) },
  { title: "OUTCOME", of: outcomeOf },
  { title: "+/-", of: ({ support, object }) => (support + object ? `${support}/${object}` : "") },
];

/** "None" would say that nobody agrees, and one voice with a maintainer's decision is no rough consensus. */
function outcomeOf({ level, support, object }: ThreadLine): string {
  if (level === null) return "–";
  if (level === "none") return "nothing";
  return level === "rough" && support + object < 2 ? "decided" : level;
}

/** The end of an id is enough for `headway report`. */
export const shortId = (id: string): string => id.slice(id.lastIndexOf("/t-") + 3).slice(0, 8);
