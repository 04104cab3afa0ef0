import { setTimeout } from "node:timers/promises";
import type { Engine, Pipeline } from "@headway/engine";
import { insertAct } from "@headway/engine/internal";
import { askForRun, isSources, type RunLine, readRuns } from "@headway/intake";
import { withApp } from "../../compose.ts";
import { actorName } from "../../desk.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { Adding } from "../../run.ts";
import { sharedFlags } from "../../shared-options.ts";
import { type Console, oneLine, showCount } from "../../terminal.ts";
import { interruptible } from "../ingest.ts";
import { mustRead, refuseWithout } from "./open.ts";

export function addRun({ program, console, end }: Adding): void {
  program
    .command("run")
    .description("Read a source now, and wait until everything that follows is done")
    .argument("<name>", "the source; a paused one runs once")
    .option("--no-wait", 'only make it due: a running "headway up" or "headway work" does it')
    .option("--dry-run", "only say what would run")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway sources run inbox\n  headway sources run inbox --json | jq .result.new\n\nExit codes: 0 done, 1 refused, 3 the run failed; it is retried, or a dead letter.`,
    )
    .action(async (name, options) => {
      refuseWithout();
      const work = options.wait && !options.dryRun;
      const run = await interruptible((signal) =>
        withApp(options, { work }, async ({ engine, pipelines }) => {
          const { database } = engine;
          const { run: before, spec } = await mustRead(database, name);
          if (options.dryRun) {
            console.write(`Would read ${spec.kind} ${oneLine(spec.place)} as run ${before + 1}.\n`);
            return null;
          }
          const now = new Date();
          await database.transaction(async (tx) => {
            await askForRun(tx, name, { asked: "operator", now });
            const detail = { run: before + 1 };
            await insertAct(tx, {
              at: now,
              actor: actorName(),
              act: "source.run",
              target: name,
              why: null,
              detail,
            });
          });
          return options.wait ? await waitFor(engine, pipelines, { name, before, signal }) : null;
        }),
      );
      if (run === null) {
        if (!options.dryRun) console.warn(`It is due: see "headway sources show ${name}".\n`);
        return;
      }
      if (options.json) console.writeJson(run);
      else tellRun(name, run, console);
      if (run.state !== "done") end(exitCodes.deadLetters);
    });
}

const lookMs = 200;

/** Stages that read files of sources: runs of other sources are not waited for. */
export const readingStages = (pipelines: readonly Pipeline[]): string[] =>
  pipelines.filter((one) => !isSources(one)).flatMap(({ stages }) => stages.map((stage) => stage.name));

/** The asked run, when it is done, dead, or waits for another attempt; what it accepted is done by then. */
async function waitFor(
  engine: Engine,
  pipelines: readonly Pipeline[],
  { name, before, signal }: { readonly name: string; readonly before: number; readonly signal: AbortSignal },
): Promise<RunLine> {
  for (;;) {
    const [newest] = await readRuns(engine.database, { source: name, limit: 1 });
    const isFresh = newest !== undefined && newest.run > before;
    if (isFresh && (newest.state !== "waiting" || newest.fault)) {
      if (newest.state === "done") await engine.settled({ signal, stages: readingStages(pipelines) });
      return newest;
    }
    await setTimeout(lookMs, undefined, { signal });
  }
}

function tellRun(
  name: string,
  { run, state, result, fault, ready_at: at, document }: RunLine,
  console: Console,
): void {
  if (fault) {
    const then =
      state === "dead"
        ? "It is a dead letter"
        : `It is tried again at ${at?.toISOString() ?? "a later time"}`;
    console.warn(`headway: ${oneLine(fault.message)} (${fault.code})\n`);
    console.warn(`${then}; see: headway explain ${document}\n`);
    return;
  }
  if (!result) return;
  const { new: fresh, unchanged, refused, damaged, bytes, notes } = result;
  for (const { place, because } of notes.slice(0, 10))
    console.warn(`${oneLine(place)}: ${oneLine(because)}\n`);
  console.write(
    `${name}, run ${run}: ${showCount(fresh, "new document")}, ${unchanged} unchanged, ${refused} refused, ${damaged} skipped; ${showCount(bytes, "byte")}.\n`,
  );
}
