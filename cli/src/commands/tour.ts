import { type Consensus, listThreads, readStory, samplePath, type ThreadStory } from "@headway/consensus";
import { countSignals } from "@headway/engine";
import { choosePort } from "../choose-port.ts";
import { withConsensus } from "../compose.ts";
import type { Adding } from "../run.ts";
import { serveOperators } from "../serve-operators.ts";
import { placeOf, sharedFlags } from "../shared-options.ts";
import { type Console, oneLine, showCount, showDay, wrap } from "../terminal.ts";
import {
  checkPlaces,
  deadLines,
  exitCodeOf,
  type IngestResult,
  ingestOnce,
  interruptible,
  ledgerText,
} from "./ingest.ts";
import { tourManuals } from "./manuals/tour.ts";
import { shortId } from "./threads.ts";

/** The command behind `npm start`. */
export function addTour({ program, console, end }: Adding): void {
  program
    .command("tour")
    .description("Read the bundled sample or an archive, and show a thread")
    .argument("[places...]", "files, folders or addresses (default: the sample)")
    .option("--manuals", "read a bundled service manual, or your PDFs, instead of mail")
    .option("--list <name>", "the mailing list they belong to")
    .option("--no-console", "end after the summary; on a terminal the web console stays open until Ctrl-C")
    .option("--allow-private", "addresses inside this network may be read")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  npm start\n  npm start -- ~/archives/quic.mbox\n  npm start -- --manuals`,
    )
    .action(async (places, options) => {
      if (options.manuals) return end(await tourManuals(places, options, console));
      const own = places.length > 0;
      const read = own ? places : [samplePath()];
      await checkPlaces(read);
      console.warn(
        own
          ? "Headway reads your archive: ingest → parse → thread → chunk → embed → weigh → summarize\n"
          : "Headway reads a sample archive of an invented working group, some of it damaged on purpose.\n",
      );
      const stays = options.console && !options.json && console.live && process.stdout.isTTY === true;
      const code = await interruptible(async (signal) =>
        withConsensus(
          options,
          { work: true, ...(stays && { share: await choosePort(undefined) }) },
          async (consensus) => {
            const given = { ...options, signal };
            const result = await ingestOnce(consensus, read, given, console);
            const story = result.accepted + result.unchanged > 0 ? await bestStory(consensus, result) : null;
            if (options.json) console.writeJson({ ...result, story });
            else tellTour(result, story, console);
            if (stays && result.accepted + result.unchanged > 0)
              await stayOpen(consensus, { story, data: placeOf(options).data, signal, console });
            return exitCodeOf(result);
          },
        ),
      );
      // The sample's damaged mails are intentional.
      end(own ? code : 0);
    });
}

interface Staying {
  readonly story: ThreadStory | null;
  readonly data: string;
  readonly signal: AbortSignal;
  readonly console: Console;
}

/** Serves the console until Ctrl-C. A database shared by another process has its console there. */
async function stayOpen(consensus: Consensus, { story, data, signal, console }: Staying): Promise<void> {
  if ("remote" in consensus.engine.database) return;
  const app = { ...consensus, pipelines: [consensus.pipeline], consensus, manuals: null };
  const given = {
    data,
    host: "127.0.0.1",
    port: 0,
    web: true,
    counters: countSignals(),
    stopping: signal,
    console,
  };
  const server = await serveOperators(app, given);
  const [origin, entry] = (server.entry() ?? "").split("/#");
  const page = story ? `t/${encodeURIComponent(story.thread.id)}` : "";
  console.write(
    `\nRead on in your browser, with every quote marked in the mail (Ctrl-C ends it):\n  ${origin}/${page}#${entry}\n`,
  );
  await new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", resolve);
  });
  await server.close();
}

async function bestStory(
  { engine }: Consensus,
  { lists: [list] }: IngestResult,
): Promise<ThreadStory | null> {
  const { database } = engine;
  const [best] = await listThreads(database, { ...(list && { list }), limit: 1, order: "interesting" });
  return best ? await readStory(database, best.id) : null;
}

function tellTour(result: IngestResult, story: ThreadStory | null, console: Console): void {
  for (const { because } of result.refused) console.warn(`headway: ${oneLine(because)}\n`);
  if (result.accepted + result.unchanged === 0) return;
  if (story) console.write(`${storyText(story, console)}\n`);
  if (result.dead.length > 0) {
    console.write(`\nWhat failed, and why (nothing else was held up by it):\n`);
    for (const line of deadLines(result.dead, console)) console.write(`  ${line}\n`);
  }
  console.write(`\n${ledgerText(result)}\n`);
  const id = story ? shortId(story.thread.id) : "ID";
  console.write(
    `
Look further:
  npx headway threads                 all threads, and what they came to
  npx headway report ${id}         this one in full (also --format html)
  npx headway search "your words"     passages by words and by meaning
  npm start -- PATH                   your own archive; twice does nothing again
`,
  );
}

/** A thread for a reader with one minute. */
export function storyText(story: ThreadStory, console: Console): string {
  const { colors } = console;
  const width = Math.min(console.columns, 100);
  const { thread, assessment, summary } = story;
  const lines = [
    "",
    colors.bold(oneLine(thread.subject)),
    colors.dim(
      `${thread.list} · ${showCount(thread.messages.length, "message")} by ${showCount(thread.participants.length, "person", "people")} · ${showDay(thread.firstDate)} to ${showDay(thread.lastDate)}`,
    ),
  ];
  if (assessment) {
    const { level, confidence, reasons, tally } = assessment;
    lines.push("", `${colors.bold(`Consensus: ${level}`)} (confidence ${Math.round(confidence * 100)} %)`);
    for (const reason of reasons.slice(0, 5)) lines.push(wrap(`• ${reason}`, width, "  "));
    if (tally) lines.push(`  Votes: ${tally.for} for, ${tally.against} against, ${tally.abstain} abstaining`);
  }
  if (summary)
    lines.push(
      "",
      colors.bold("Summary, each sentence with its source"),
      ...summaryLines(story, width, console),
    );
  const standing = positionLines(story, width, console);
  if (standing.length > 0) lines.push("", colors.bold("Who stands where"), ...standing);
  return lines.join("\n");
}

function summaryLines({ summary, messages }: ThreadStory, width: number, { colors }: Console): string[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  return (summary?.sentences ?? []).flatMap(({ text, citations }) => {
    const [citation] = citations;
    const source = citation ? byId.get(citation.message) : undefined;
    const where = source
      ? `${showDay(source.date)}, characters ${citation?.start}–${citation?.end} of ${source.id}`
      : "";
    return [wrap(text, width, "  "), colors.dim(`    ${where}`)];
  });
}

function positionLines({ positions }: ThreadStory, width: number, { colors }: Console): string[] {
  const paint = { support: colors.green, object: colors.red, neutral: colors.dim, question: colors.yellow };
  const standing = positions.filter(({ supersededBy }) => supersededBy === null);
  return standing.slice(0, 20).flatMap((position) => {
    const earlier = positions.filter(({ supersededBy }) => supersededBy === position.id);
    const before = earlier.map(({ stance, at }) => `, before: ${stance} on ${showDay(at)}`).join("");
    const who = oneLine(position.person.name || position.person.address);
    return [
      `  ${paint[position.stance](position.stance.padEnd(8))} ${who}${colors.dim(`, ${showDay(position.at)}${before}`)}`,
      wrap(`“${position.quote}”`, width, "           "),
    ];
  });
}
