import { openOperator } from "@headway/engine/operate";
import {
  type Fed,
  feedManuals,
  listManuals,
  type ManualLine,
  type Manuals,
  tellReading,
} from "@headway/manuals";
import { exitCodes } from "../../exit-codes.ts";
import { recordIngest } from "../../ingest-act.ts";
import { type Outlast, outlasting } from "../../outlasting.ts";
import type { Adding } from "../../run.ts";
import { parsePriority, sharedFlags } from "../../shared-options.ts";
import { type Console, oneLine, showCount } from "../../terminal.ts";
import { countStale, type DeadMail, deadLines, interruptible, tellStale } from "../ingest.ts";
import { planManuals } from "../plan-ingest.ts";
import { withManuals } from "./open.ts";

export function addManualsIngest({ program, console, end }: Adding): void {
  program
    .command("ingest")
    .description("Read PDF manuals: pages, text and what can be searched")
    .argument("<places...>", "PDF files, folders or addresses, also .zip .tar .tgz .gz")
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
  headway manuals ingest pump.pdf
  headway manuals ingest manuals/ https://example.org/service-manual.pdf
  headway manuals ingest --dry-run manuals/

Exit codes: 0 done, 1 something was refused, 3 done but there are dead letters.`,
    )
    .action(async (places, options) => {
      const priority = options.priority === undefined ? undefined : parsePriority(options.priority);
      if (options.dryRun) return end(await planManuals(places, options, console));
      const code = await interruptible((signal) =>
        withManuals(options, {}, async (manuals) => {
          const { allowPrivate } = options;
          const result = await ingestManuals(manuals, places, {
            signal,
            outlast: outlasting(console, signal),
            ...(allowPrivate !== undefined && { allowPrivate }),
            ...(priority !== undefined && { priority }),
          });
          tell(result, options.json === true, console);
          return exitCodeOf(result);
        }),
      );
      end(code);
    });
}

export interface ManualsResult extends Fed {
  readonly manuals: readonly ManualLine[];
  readonly dead: readonly DeadMail[];
  readonly attempts: number;
  readonly seconds: number;
  /** Results of other code or settings than those of this process. */
  readonly stale: number;
}

/** Reads the places and waits until everything that follows has settled. */
export async function ingestManuals(
  manuals: Manuals,
  places: readonly string[],
  options: {
    readonly signal: AbortSignal;
    readonly allowPrivate?: boolean;
    readonly priority?: number;
    readonly outlast?: Outlast;
  },
): Promise<ManualsResult> {
  const { engine, pipeline } = manuals;
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
    actor: "headway manuals ingest",
    pipelines: [pipeline],
    exact: true,
  });
  const outlast = options.outlast ?? outlasting({ warn: () => undefined }, options.signal);
  const fed = await feedManuals(manuals, places, { ...options, outlast });
  const counts = { accepted: fed.accepted.length, unchanged: fed.unchanged };
  await outlast(() => recordIngest(engine.database, "manuals.ingest", places, counts));
  await engine.settled({ signal: options.signal, stages });
  stopCounting();
  return await outlast(async () => {
    const letters = await Promise.all(stages.map((stage) => operator.listDead({ stage })));
    const dead = letters
      .flat()
      .map(({ stage, document, code, message }) => ({ stage, document, code, message }));
    const stale = await countStale(operator, pipeline.stages);
    const lines = await listManuals(engine.database);
    return { ...fed, manuals: lines, dead, stale, attempts, seconds: (performance.now() - from) / 1_000 };
  });
}

export const exitCodeOf = ({ refused, dead }: ManualsResult): number =>
  refused.length > 0 ? exitCodes.refused : dead.length > 0 ? exitCodes.deadLetters : exitCodes.done;

function tell(result: ManualsResult, json: boolean, console: Console): void {
  for (const { because } of result.refused) console.warn(`headway: ${oneLine(because)}\n`);
  if (json) {
    console.writeJson(result);
    return;
  }
  for (const { place, because } of result.skipped.slice(0, 10))
    console.warn(`skipped ${oneLine(place)}: ${oneLine(because)}\n`);
  for (const line of deadLines(result.dead, console)) console.warn(`${line}\n`);
  if (result.dead.length > 0) console.warn("See what they died of, and what to do: headway failed groups\n");
  tellStale(result.stale, console);
  for (const line of result.manuals.filter(({ id }) => result.accepted.includes(id)))
    console.write(`${oneLine(line.id)}: ${tellReading(line)}, ${showCount(line.pages, "page")}\n`);
  console.write(`${summaryOf(result)}\n`);
}

export function summaryOf({ accepted, unchanged, attempts, seconds }: ManualsResult): string {
  const news =
    attempts === 0 && accepted.length === 0
      ? "nothing to do"
      : `${showCount(accepted.length, "manual")} read, ${unchanged} unchanged`;
  return `${news} (${seconds.toFixed(1)} s)`;
}
