import { Option } from "@commander-js/extra-typings";
import {
  type ConsensusReader,
  countThreads,
  findThread,
  listName,
  listThreads,
  type ThreadFilter,
  type ThreadLine,
} from "@headway/consensus";
import { lookAtConsensus } from "../compose.ts";
import { Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { parseCount, parseDate, sharedFlags } from "../shared-options.ts";
import { type Column, type Console, oneLine, shorten, showCount, showDay, table } from "../terminal.ts";

const levels = ["strong", "rough", "contested", "none", "undecided"] as const;
const orders = ["newest", "largest", "interesting"] as const;

export function addThreads({ program, console }: Adding): void {
  program
    .command("threads")
    .description("List threads with their outcome")
    .option("--list <name>", "only of this list", listName)
    .addOption(new Option("--level <level>", "only with this outcome").choices(levels))
    .option("--subject <words>", "only with this in the subject")
    .option("--asks <words>", "only with this in the question")
    .option("--since <date>", "only with a message since then")
    .option("--limit <number>", "how many", "30")
    .option("--after <id>", "go on after this thread: the next page")
    .option("--count", "only say how many threads fit")
    .addOption(new Option("--order <order>", "which first").choices(orders).default("newest" as const))
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway threads --level contested\n  headway threads --order interesting --limit 5\n  headway threads --after 3f9a1c20\n  headway threads --list quic --since 2024-03 --count`,
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
      if (options.count) {
        const threads = await lookAtConsensus(options, ({ engine }) => countThreads(engine.database, filter));
        return json ? console.writeJson({ threads }) : console.write(`${threads}\n`);
      }
      const { lines, total } = await lookAtConsensus(options, (consensus) =>
        readPage(consensus, filter, options.after),
      );
      if (json) return lines.forEach(console.writeJson);
      if (lines.length === 0) return console.warn("No thread fits.\n");
      console.write(`${showThreads(lines, console)}\n`);
      const last = lines.at(-1);
      const next =
        last && lines.length === filter.limit && lines.length < total
          ? ` The next page: --after ${shortId(last.id)}.`
          : "";
      const shown = lines.length < total ? `${lines.length} of ${total} threads` : showCount(total, "thread");
      console.warn(`${shown}.${next} Look at one with: headway report ID\n`);
    });
}

async function readPage(
  { engine: { database } }: ConsensusReader,
  filter: ThreadFilter,
  after: string | undefined,
): Promise<{ lines: readonly ThreadLine[]; total: number }> {
  const found = after === undefined ? [] : await findThread(database, after);
  if (after !== undefined && found.length !== 1)
    throw new Refusal(
      `--after is "${oneLine(after)}", which is no thread; give the last ID of the page before.`,
      2,
    );
  const [last] = found;
  const lines = await listThreads(database, { ...filter, ...(last !== undefined && { after: last }) });
  return { lines, total: await countThreads(database, filter) };
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
