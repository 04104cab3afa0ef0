import { Option } from "@commander-js/extra-typings";
import {
  type ConsensusReader,
  findThread,
  htmlOfDigest,
  htmlOfOutline,
  htmlOfThread,
  listDigest,
  listName,
  listThreads,
  markdownOfDigest,
  markdownOfOutline,
  markdownOfThread,
  type Outline,
  outlineOf,
  readStory,
  rowsOfOutline,
  type TextStyle,
  type ThreadFilter,
  type ThreadStory,
  textOfThread,
  threadReport,
} from "@headway/consensus";
import { lookAtConsensus } from "../compose.ts";
import { Refusal } from "../exit-codes.ts";
import { readPeopleBook } from "../people-book.ts";
import type { Adding } from "../run.ts";
import { parseCount, parseDate, sharedFlags } from "../shared-options.ts";
import { type Console, safeJson } from "../terminal.ts";
import { csvTable } from "./export.ts";
import { matterOf, reportMatter } from "./report-matter.ts";

export function addReport({ program, console }: Adding): void {
  program
    .command("report")
    .description("Print the report of a thread, a subject or a list")
    .argument("[thread]", "its id (or the beginning of it), or a Message-ID in it")
    .option("--list <name>", "the digest of this list instead", listName)
    .option(
      "--draft <name>",
      "all that was said about this draft, version by version, over threads and lists",
    )
    .option("--rfc <number>", "all that was said about this RFC")
    .option("--issue <id>", "all that was said about this issue: #12 or ABC-12")
    .option("--series <title>", "all that was said about this patch series, version by version")
    .option("--release <version>", "all that was said about this release")
    .option(
      "--since <date>",
      "in a digest: only threads with a message since then; in an outline: only words since then",
    )
    .option("--limit <number>", "in a digest: how many threads", "50")
    .addOption(
      new Option(
        "--format <format>",
        "how; text on a terminal, md in a pipe; csv has a row for each position",
      ).choices(["text", "md", "html", "json", "csv"] as const),
    )
    .option(
      "--outline",
      "a thread in lines: proposed, decided, promised, still open; with --since: only what is new",
    )
    .option("--why", "in text: the words and rules that decided each position")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", examples)
    .action(async (thread, options) => {
      const { list } = options;
      const { format, style } = shapeOf(options, console);
      const matter = matterOf(options);
      if (matter && thread !== undefined)
        throw new Refusal(`Give a thread, or --${matter.kind}; not both.`, 2);
      if (thread === undefined && list === undefined && !matter)
        throw new Refusal(
          "Say which thread (headway threads lists them) or which list: headway report --list NAME.",
          2,
        );
      const filter = filterOf(options);
      const text = await lookAtConsensus(options, (consensus) =>
        matter
          ? reportMatter(consensus, matter, { format, list })
          : thread === undefined
            ? reportList(consensus, filter, format)
            : reportThread(consensus, thread, {
                format,
                style,
                outline: options.outline ? { since: filter.since ?? null } : null,
              }),
      );
      console.write(text.endsWith("\n") ? text : `${text}\n`);
    });
}

const examples = `\nExamples:\n  headway report 3f9a1c20\n  headway report 3f9a1c20 --why\n  headway report 3f9a1c20 --outline --since 2024-05-01\n  headway report --list quic --since 2024-03 --format html > digest.html\n  headway report --draft draft-ietf-quic-recovery\n  headway report --series "docs: Explain helper functions" --format csv > opinions.csv`;

interface ReportOptions {
  readonly list?: string | undefined;
  readonly since?: string | undefined;
  readonly limit: string;
  readonly format?: Format | undefined;
  readonly why?: boolean | undefined;
  readonly json?: boolean | undefined;
}

function shapeOf(options: ReportOptions, console: Console): Pick<Shape, "format" | "style"> {
  const isText = options.why || console.piped === false;
  const { bold, dim } = console.colors;
  return {
    format: options.json ? "json" : (options.format ?? (isText ? "text" : "md")),
    style: { columns: console.columns, bold, dim, why: options.why ?? false },
  };
}

const filterOf = ({ list, since, limit }: ReportOptions): ThreadFilter => ({
  ...(list !== undefined && { list }),
  ...(since !== undefined && { since: parseDate(since, "--since") }),
  limit: parseCount(limit, "--limit", 10_000),
  order: "newest",
});

type Format = "text" | "md" | "html" | "json" | "csv";

interface Shape {
  readonly format: Format;
  readonly style: TextStyle;
  /** Set: only the outline, from a day on. */
  readonly outline: { readonly since: Date | null } | null;
}

async function reportThread(
  { engine }: ConsensusReader,
  given: string,
  { format, style, outline }: Shape,
): Promise<string> {
  const found = await findThread(engine.database, given);
  if (found.length === 0) throw new Refusal(`There is no thread "${given}"; headway threads lists them.`);
  if (found.length > 1)
    throw new Refusal(`"${given}" could be ${found.slice(0, 5).join(", ")}; say more of the id.`);
  const story = (await readStory(engine.database, found[0] as string)) as ThreadStory;
  if (outline) return showOutline(outlineOf(story, outline.since), format);
  const people = await readPeopleBook(engine.database);
  const report = threadReport(story, people.keyOf);
  if (format === "csv") return csvTable(story.positions.map(positionRow));
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
  const people = await readPeopleBook(engine.database);
  const digest = listDigest({ list, threads: stories }, people.keyOf);
  if (format === "csv")
    return csvTable(
      digest.entries.map(({ decisions, openQuestions, tally, ...entry }) => ({
        ...entry,
        decisions: decisions.length,
        openQuestions: openQuestions.length,
        for: tally?.for,
        against: tally?.against,
      })),
    );
  if (format === "json") return safeJson(digest, 2);
  return format === "html" ? htmlOfDigest(digest) : markdownOfDigest(digest);
}

function showOutline(outline: Outline, format: Format): string {
  if (format === "json") return safeJson(outline, 2);
  if (format === "csv") return csvTable(rowsOfOutline(outline));
  return format === "html" ? htmlOfOutline(outline) : markdownOfOutline(outline);
}

const positionRow = ({ person, ...position }: ThreadStory["positions"][number]) => ({
  thread: position.thread,
  name: person.name,
  address: person.address,
  stance: position.stance,
  at: position.at,
  message: position.message,
  quote: position.quote,
  because: position.because,
  supersededBy: position.supersededBy,
});
