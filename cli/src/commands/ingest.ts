import { setMaxListeners } from "node:events";
import {
  type Consensus,
  type Fed,
  feed,
  type Ledger,
  readLedger,
  refuseAtSight,
  releaseBlobs,
  watchFolder,
} from "@headway/consensus";
import { type Operator, openOperator } from "@headway/engine/operate";
import { withConsensus } from "../compose.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import { recordIngest } from "../ingest-act.ts";
import { outlasting, tellFailedCommits } from "../outlasting.ts";
import { showProgress } from "../progress.ts";
import type { Adding } from "../run.ts";
import { parsePriority, sharedFlags } from "../shared-options.ts";
import { type Console, oneLine, shorten, showCount } from "../terminal.ts";
import { planIngest } from "./plan-ingest.ts";

export function addIngest({ program, console, end }: Adding): void {
  program
    .command("ingest")
    .description("Read mail archives, up to threads and summaries")
    .argument(
      "<places...>",
      "files, folders or addresses: mbox, maildir, .eml, pipermail text, also .gz .zip .tar .tgz",
    )
    .option("--list <name>", "the mailing list they belong to (default: as their names tell)")
    .option("--watch", "go on, and read what changes in these folders")
    .option("--allow-private", "addresses inside this network may be read")
    .option(
      "--priority <number>",
      "larger goes first, from -1000 to 1000; everything made of them inherits it",
    )
    .option("--dry-run", "only say what would be read; changes nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway ingest quic.mbox
  headway ingest --list quic archives/ https://lists.example.org/pipermail/quic/2024-May.txt.gz
  headway ingest --watch ~/Maildir
  headway ingest --priority 100 urgent.mbox
  headway ingest --dry-run archives/

Reading again what was read before costs next to nothing and changes nothing. A database that restarts is waited for.
Exit codes: 0 done, 1 something was refused, 3 done but there are dead letters.`,
    )
    .action(async (places, options) => {
      if (options.priority !== undefined) parsePriority(options.priority);
      await checkPlaces(places);
      if (options.dryRun) return end(await planIngest(places, options, console));
      const code = await interruptible((signal) =>
        withConsensus(options, { work: true }, (consensus) =>
          ingest(consensus, places, { ...options, signal }, console).catch((error: unknown) => {
            if (!(error instanceof Refusal)) console.warn(safeText);
            throw error;
          }),
        ),
      );
      end(code);
    });
}

const safeText =
  "What was accepted is safe, and nothing is done twice: run the same command again to go on.\n";

/** Refuses missing places before anything is opened or created. */
export async function checkPlaces(places: readonly string[]): Promise<void> {
  const refusals = await refuseAtSight(places);
  if (refusals.length > 0)
    throw new Refusal(refusals.map(({ message }) => oneLine(message)).join("\nheadway: "));
}

/** Ctrl-C ends the command gracefully. */
export async function interruptible<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  // Every wait of every stage listens; their number is bounded by the work, not a leak.
  setMaxListeners(0, stop.signal);
  const interrupt = () =>
    stop.abort(new Refusal("Interrupted; what was accepted is safe, run it again to go on.", 130));
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    return await act(stop.signal);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

export interface IngestOptions {
  readonly list?: string | undefined;
  readonly watch?: boolean | undefined;
  readonly allowPrivate?: boolean | undefined;
  readonly priority?: string | undefined;
  readonly json?: boolean | undefined;
  readonly signal: AbortSignal;
}

async function ingest(
  consensus: Consensus,
  places: readonly string[],
  options: IngestOptions,
  console: Console,
): Promise<number> {
  const result = await ingestOnce(consensus, places, options, console);
  tellResult(result, options.json === true, console);
  if (!options.watch) return exitCodeOf(result);
  console.warn("Watching; stop with Ctrl-C.\n");
  // Serialised, so concurrent changes do not read the same file twice.
  let last: Promise<unknown> = Promise.resolve();
  const again = () => {
    last = last
      .then(() => ingestOnce(consensus, places, options, console))
      .then((next) => tellResult(next, options.json === true, console))
      .catch((error: unknown) => {
        if (!options.signal.aborted) console.warn(`headway: ${(error as Error).message}\n`);
      });
  };
  const watched = places.filter((place) => !/^https?:/.test(place));
  await Promise.all(watched.map((place) => watchFolder(place, { onChange: again, signal: options.signal })));
  await last;
  return exitCodes.done;
}

export interface IngestResult extends Fed {
  readonly ledger: Ledger;
  readonly dead: readonly DeadMail[];
  readonly seconds: number;
  /** Number of attempts; 0: nothing had changed. */
  readonly attempts: number;
  /** Results of other code, settings or models than those of this process. */
  readonly stale: number;
}

export interface DeadMail {
  readonly stage: string;
  readonly document: string;
  readonly code: string;
  readonly message: string;
}

/** Reads the places and waits until all resulting work has settled. */
export async function ingestOnce(
  consensus: Consensus,
  places: readonly string[],
  options: IngestOptions,
  console: Console,
): Promise<IngestResult> {
  const { engine, pipeline } = consensus;
  const from = performance.now();
  let attempts = 0;
  // Other pipelines of the application work in the same engine.
  const stages = pipeline.stages.map(({ name }) => name);
  const stopCounting = engine.onSignal((heard) => {
    if ((heard.kind === "task.done" || heard.kind === "task.died") && stages.includes(heard.stage))
      attempts++;
  });
  const operator = await openOperator({
    database: engine.database,
    actor: "headway ingest",
    pipelines: [pipeline],
    exact: true,
  });
  const { signal } = options;
  const outlast = outlasting(console, signal);
  const stopTelling = tellFailedCommits(engine, console);
  const work = feed(consensus, places, { ...feedOptions(options), signal, outlast }).then(async (fed) => {
    const { accepted, unchanged, lists } = fed;
    await outlast(() => recordIngest(engine.database, "ingest", places, { accepted, unchanged, lists }));
    await engine.settled({ signal, stages });
    return fed;
  });
  const fed = await showProgress(consensus, console, work, { quiet: options.json === true, outlast });
  stopCounting();
  stopTelling();
  return await outlast(async () => {
    await releaseBlobs(consensus, fed.replaced);
    const letters = await Promise.all(stages.map((stage) => operator.listDead({ stage })));
    const dead = letters
      .flat()
      .map(({ stage, document, code, message }) => ({ stage, document, code, message }));
    const stale = await countStale(operator, pipeline.stages);
    const ledger = await readLedger(engine.database, ...fed.lists);
    return { ...fed, ledger, dead, stale, attempts, seconds: (performance.now() - from) / 1_000 };
  });
}

const feedOptions = ({
  list,
  allowPrivate,
  priority,
}: Pick<IngestOptions, "list" | "allowPrivate" | "priority">) => ({
  ...(list !== undefined && { list }),
  ...(allowPrivate !== undefined && { allowPrivate }),
  ...(priority !== undefined && { priority: parsePriority(priority) }),
});

/** Results of other code, settings or models: only counted, because making them anew is a person's decision. */
export async function countStale(
  operator: Pick<Operator, "reprocess">,
  stages: readonly { readonly name: string }[],
): Promise<number> {
  let stale = 0;
  for (const { name } of stages) {
    const { owed, busy } = await operator.reprocess({ stage: name, stale: true }, { dryRun: true });
    stale += owed + busy;
  }
  return stale;
}

export function tellStale(stale: number, console: Console): void {
  if (stale === 0) return;
  const results = showCount(stale, "result was", "results were");
  console.warn(
    `${results} made with other code, settings or models; see the plan: headway reprocess --stale\n`,
  );
}

export const exitCodeOf = ({ refused, dead }: IngestResult): number =>
  refused.length > 0 ? exitCodes.refused : dead.length > 0 ? exitCodes.deadLetters : exitCodes.done;

function tellResult(result: IngestResult, json: boolean, console: Console): void {
  const { refused, skipped, dead } = result;
  for (const { because } of refused) console.warn(`headway: ${oneLine(because)}\n`);
  if (json) {
    console.writeJson(result);
    return;
  }
  // With nothing else read, the refusals say everything.
  if (refused.length > 0 && result.accepted + result.unchanged === 0) return;
  for (const { place, because } of skipped.slice(0, 10))
    console.warn(`skipped ${oneLine(place)}: ${oneLine(because)}\n`);
  if (skipped.length > 10)
    console.warn(`… and ${skipped.length - 10} more were skipped (--json lists them)\n`);
  for (const line of deadLines(dead, console)) console.warn(`${line}\n`);
  if (dead.length > 0) console.warn("See what they died of, and what to do: headway failed groups\n");
  tellStale(result.stale, console);
  if (result.accepted + result.unchanged > 0) console.write(`${ledgerText(result)}\n`);
}

export function deadLines(dead: readonly DeadMail[], console: Console): string[] {
  const shown = dead
    .slice(0, 10)
    .map(({ document, stage, code, message }) =>
      shorten(`dead in ${stage}: ${oneLine(message)} (${code}, ${oneLine(document)})`, console.columns * 2),
    );
  return dead.length > 10 ? [...shown, `… and ${dead.length - 10} more`] : shown;
}

/** The books, in one line that adds up. */
export function ledgerText({ ledger, accepted, unchanged, attempts, seconds }: IngestResult): string {
  const { mails, messages, duplicates, dead, open, threads, flagged } = ledger;
  const sum = [
    `${showCount(mails, "mail")} = ${showCount(messages, "message")} + ${showCount(duplicates, "duplicate")} + ${showCount(dead, "dead letter")}`,
    open > 0 ? ` + ${open} not settled` : "",
  ].join("");
  const news =
    attempts === 0 && accepted === 0
      ? "nothing has changed"
      : `${showCount(accepted, "archive")} read, ${unchanged} unchanged`;
  const odd = flagged > 0 ? `, ${showCount(flagged, "message")} flagged` : "";
  return `${sum}; ${showCount(threads, "thread")}${odd} (${news}, ${seconds.toFixed(1)} s)`;
}
