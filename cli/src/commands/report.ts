import { Option } from "@commander-js/extra-typings";
import {
  type ConsensusReader,
  findThread,
  htmlOfDigest,
  htmlOfThread,
  listDigest,
  listName,
  listThreads,
  markdownOfDigest,
  markdownOfThread,
  readStory,
  type TextStyle,
  type ThreadFilter,
  type ThreadStory,
  textOfThread,
  threadReport,
} from "@headway/consensus";
import { lookAtConsensus } from "../compose.ts";
import { Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { parseCount, parseDate, sharedFlags } from "../shared-options.ts";
import { safeJson } from "../terminal.ts";

export function addReport({ program, console }: Adding): void {
  program
    .command("report")
    .description("Print the report of a thread, or the digest of a list")
    .argument("[thread]", "its id (or the beginning of it), or a Message-ID in it")
    .option("--list <name>", "the digest of this list instead", listName)
    .option("--since <date>", "in a digest: only threads with a message since then")
    .option("--limit <number>", "in a digest: how many threads", "50")
    .addOption(
      new Option("--format <format>", "how; text on a terminal, md in a pipe").choices([
        "text",
        "md",
        "html",
        "json",
      ] as const),
    )
    .option("--why", "in text: the words and rules that decided each position")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway report 3f9a1c20\n  headway report 3f9a1c20 --why\n  headway report --list quic --since 2024-03 --format html > digest.html`,
    )
    .action(async (thread, options) => {
      const { list, since } = options;
      const isText = options.why || console.piped === false;
      const format = options.json ? "json" : (options.format ?? (isText ? "text" : "md"));
      const { bold, dim } = console.colors;
      const style = { columns: console.columns, bold, dim, why: options.why ?? false };
      if (thread === undefined && list === undefined)
        throw new Refusal(
          "Say which thread (headway threads lists them) or which list: headway report --list NAME.",
          2,
        );
      const filter: ThreadFilter = {
        ...(list !== undefined && { list }),
        ...(since !== undefined && { since: parseDate(since, "--since") }),
        limit: parseCount(options.limit, "--limit", 10_000),
        order: "newest",
      };
      const text = await lookAtConsensus(options, (consensus) =>
        thread === undefined
          ? reportList(consensus, filter, format)
          : reportThread(consensus, thread, { format, style }),
      );
      console.write(text.endsWith("\n") ? text : `${text}\n`);
    });
}

type Format = "text" | "md" | "html" | "json";

interface Shape {
  readonly format: Format;
  readonly style: TextStyle;
}

async function reportThread(
  { engine }: ConsensusReader,
  given: string,
  { format, style }: Shape,
): Promise<string> {
  const found = await findThread(engine.database, given);
  if (found.length === 0) throw new Refusal(`There is no thread "${given}"; headway threads lists them.`);
  if (found.length > 1)
    throw new Refusal(`"${given}" could be ${found.slice(0, 5).join(", ")}; say more of the id.`);
  const story = (await readStory(engine.database, found[0] as string)) as ThreadStory;
  const report = threadReport(story);
  if (format === "json") return safeJson(report, 2);
  if (format === "text") return textOfThread(report, style);
  return format === "html" ? htmlOfThread(report) : markdownOfThread(report);
}

async function reportList(
  { engine }: ConsensusReader,
  filter: ThreadFilter,
  format: Format,
): Promise<string> {
  const { list = "" } = filter;
  const lines = await listThreads(engine.database, filter);
  if (lines.length === 0) throw new Refusal(`There is no thread of the list "${list}" that fits.`);
  const stories: ThreadStory[] = [];
  for (const { id } of lines) {
    const story = await readStory(engine.database, id);
    if (story) stories.push(story);
  }
  const digest = listDigest({ list, threads: stories });
  if (format === "json") return safeJson(digest, 2);
  return format === "html" ? htmlOfDigest(digest) : markdownOfDigest(digest);
}
