import type { RunLine } from "@headway/intake";
import { withDesk } from "../../desk.ts";
import { noteBlock } from "../../note-lines.ts";
import type { Adding } from "../../run.ts";
import { sharedFlags } from "../../shared-options.ts";
import { showMoment, showRelative, showSpan } from "../../show-time.ts";
import { readSourceLines, readSourcePage, type SourceLine, showStanding } from "../../source-lines.ts";
import { type Console, oneLine, showCount, showNumber, table } from "../../terminal.ts";
import { noSource } from "./open.ts";

/** `list` (also without a word), `show` and `origins`. */
export function addLook(adding: Adding): void {
  addList(adding);
  addShow(adding);
  addOrigins(adding);
}

function addList({ program, console }: Adding): void {
  program
    .command("list", { isDefault: true })
    .description("List the sources: how each is, and when it runs next")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway sources\n  headway sources list --json | jq -r 'select(.paused) | .name'`,
    )
    .action(async (options) => {
      const { lines, now } = await withDesk(options, async ({ database, operator }) => ({
        lines: await readSourceLines(database),
        now: operator.now(),
      }));
      if (options.json) return lines.forEach(console.writeJson);
      if (lines.length === 0)
        return console.warn(
          'There is no source yet: add one with "headway sources add NAME PLACE --every 15m".\n',
        );
      console.write(`${table(lines, columnsAt(now), console.columns)}\n`);
      const failed = lines.filter(({ last }) => last?.state === "dead").length;
      console.warn(`${showCount(lines.length, "source")}${failed > 0 ? `, ${failed} failed` : ""}.\n`);
    });
}

function addShow({ program, console }: Adding): void {
  program
    .command("show")
    .description("Show one source with its last runs")
    .argument("<name>", "the source")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway sources show inbox\n  headway sources show inbox --json | jq .runs`,
    )
    .action(async (name, options) => {
      const { page, now, notes } = await withDesk(options, async ({ database, operator }) => ({
        page: await readSourcePage(database, name),
        now: operator.now(),
        notes: await noteBlock(operator, [{ kind: "source", name }], console),
      }));
      if (!page) throw noSource(name);
      if (options.json) return console.writeJson(page);
      tellSource(page, now, console);
      if (notes !== "") console.write(`\n${notes}\n`);
    });
}

function addOrigins({ program, console }: Adding): void {
  program
    .command("origins")
    .description("List where documents came from, and how many each origin brought in")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway sources origins\n  headway sources origins --json | jq -r .name`,
    )
    .action(async (options) => {
      const rows = await withDesk(options, ({ operator }) => operator.sources());
      const lines = rows.map(({ name, documents, first_seen_at: firstSeenAt }) => ({
        name,
        documents,
        firstSeenAt,
      }));
      if (options.json) return lines.forEach(console.writeJson);
      if (lines.length === 0)
        return console.warn('Nothing was brought in yet: read an archive with "headway ingest PATH".\n');
      type Line = (typeof lines)[number];
      const columns = [
        { title: "ORIGIN", of: ({ name }: Line) => name, flexible: true },
        { title: "DOCUMENTS", of: ({ documents }: Line) => showNumber(documents), align: "right" },
        { title: "FIRST SEEN", of: ({ firstSeenAt }: Line) => showMoment(firstSeenAt) },
      ] as const;
      console.write(`${table(lines, columns, console.columns)}\n`);
    });
}

const columnsAt = (now: Date) =>
  [
    { title: "SOURCE", of: ({ name }: SourceLine) => name },
    { title: "KIND", of: ({ kind }: SourceLine) => kind },
    { title: "SCHEDULE", of: ({ schedule }: SourceLine) => schedule },
    {
      title: "NEXT",
      of: ({ nextAt, paused }: SourceLine) => (nextAt && !paused ? showRelative(nextAt, now) : "–"),
    },
    { title: "LAST RUN", of: (line: SourceLine) => showStanding(line), flexible: true },
  ] as const;

function tellSource(
  page: NonNullable<Awaited<ReturnType<typeof readSourcePage>>>,
  now: Date,
  console: Console,
): void {
  const facts: [string, string][] = [
    ["Place", `${oneLine(page.place)} (${page.kind})`],
    ["Reads into", `${page.pipeline}${page.list === null ? "" : `, list ${page.list}`}`],
    ["Schedule", page.schedule],
    [
      "Next run",
      page.nextAt && !page.paused ? `${showMoment(page.nextAt)} (${showRelative(page.nextAt, now)})` : "none",
    ],
    ["Secret", page.hasSecret ? "encrypted" : "none"],
    ["Added", `${showMoment(page.addedAt)} by ${oneLine(page.addedBy)}`],
  ];
  if (page.paused) {
    const why = page.paused.why ? `: ${oneLine(page.paused.why)}` : "";
    facts.push(["Paused", `${showMoment(page.paused.at)} by ${oneLine(page.paused.by ?? "somebody")}${why}`]);
  }
  if (page.hostDown)
    facts.push([
      "Host down",
      `${page.hostDown.host} since ${showMoment(page.hostDown.since)}, probed again ${showRelative(page.hostDown.probeAt, now)}`,
    ]);
  console.write(`${page.name}\n${facts.map(([name, text]) => `  ${name.padEnd(11)} ${text}\n`).join("")}`);
  if (page.runs.length === 0) console.write(`\nIt has not run yet: headway sources run ${page.name}\n`);
  else console.write(`\n${table(page.runs.slice(0, 20), runColumns, console.columns)}\n`);
  const [newest] = page.runs;
  for (const { place, because } of newest?.result?.notes.slice(0, 5) ?? [])
    console.write(`  ${oneLine(place)}: ${oneLine(because)}\n`);
  if (newest?.fault) {
    console.write(`\nRun ${newest.run}: ${oneLine(newest.fault.message)} (${newest.fault.code})\n`);
    console.warn(`See what happens next with: headway explain ${newest.document}\n`);
  }
}

const runColumns = [
  { title: "RUN", of: ({ run }: RunLine) => showNumber(run), align: "right" },
  { title: "DUE", of: ({ due }: RunLine) => `${due.slice(0, 19)}Z` },
  { title: "STATE", of: ({ state }: RunLine) => state },
  { title: "NEW", of: ({ result }: RunLine) => (result ? showNumber(result.new) : ""), align: "right" },
  {
    title: "SAME",
    of: ({ result }: RunLine) => (result ? showNumber(result.unchanged) : ""),
    align: "right",
  },
  {
    title: "REFUSED",
    of: ({ result }: RunLine) => (result ? showNumber(result.refused) : ""),
    align: "right",
  },
  { title: "BYTES", of: ({ result }: RunLine) => (result ? showNumber(result.bytes) : ""), align: "right" },
  {
    title: "TOOK",
    of: ({ result }: RunLine) =>
      result ? showSpan(Date.parse(result.endedAt) - Date.parse(result.startedAt)) : "",
    align: "right",
  },
] as const;
