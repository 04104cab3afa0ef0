import { type Drilled, drill } from "@headway/engine/testing";
import { isShipped } from "../app/current-app.ts";
import { type DrillSubject, loadSubject, subjectOfApp } from "../drill/load-subject.ts";
import { tellDrilled } from "../drill/tell-drilled.ts";
import { tomorrow } from "../drill/tomorrow.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { parseCount, sharedFlags } from "../shared-options.ts";
import { type Console, showCount } from "../terminal.ts";

export function addDrill({ program, console, end }: Adding): void {
  program
    .command("drill")
    .description("Crash a pipeline at every call, and compare the results")
    .argument(
      "[module]",
      "exports the pipeline, its services and documents (default: the pipelines of the application)",
    )
    .option("--documents <file>", "documents to run it with, one JSON object a line")
    .option("--stages <names>", "only these stages, with commas between them")
    .option("--points <count>", `how many places to kill it at, or "all" (default: ${pointsDefault.module})`)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway drill ./my-pipeline.ts
  headway drill ./my-pipeline.ts --points all --stages splitting,embedding
  headway drill ./my-pipeline.ts --documents sample.ndjson --json | jq '.stages[] | select(.same | not)'
  headway drill                          the pipelines of headway.config.ts, else a few mails of the sample

It runs in memory, and touches no database of yours; services are called for real. Exit codes: 0 every stage comes to the
same result wherever it was killed, 1 one does not, 2 wrong usage.`,
    )
    .action(async (module, options) => {
      const subject =
        module === undefined
          ? await subjectOfApp(options.documents)
          : await loadSubject(module, options.documents);
      const stages = readStages(options.stages, subject);
      const pointsMax = readPoints(
        options.points,
        module === undefined && isShipped() ? pointsDefault.own : pointsDefault.module,
      );
      try {
        const drilled = await run(subject, { stages, pointsMax }, console);
        if (options.json) console.writeJson(drilled);
        else tellDrilled(drilled, subject.name, console);
        if (!drilled.ok) end(exitCodes.refused);
      } finally {
        await subject.close();
      }
    });
}

/** The shipped pipeline is drilled at every point in our own tests; here the drill is only shown. */
const pointsDefault = { module: 60, own: 24 };

interface Choice {
  readonly stages: readonly string[] | undefined;
  readonly pointsMax: number | null;
}

async function run(subject: DrillSubject, { stages, pointsMax }: Choice, console: Console): Promise<Drilled> {
  const { pipelines, makeServices, documents } = subject;
  try {
    return await drill({
      pipelines,
      makeServices,
      documents,
      pointsMax,
      later: tomorrow,
      ...(stages && { stages }),
      onProgress: ({ runs, of }) => {
        if (console.live)
          console.warn(`\r${runs} of ${showCount(of, "run")}\u001b[K${runs === of ? "\r\u001b[K" : ""}`);
      },
    });
  } catch (error) {
    // A drill that cannot run says nothing about the stages.
    throw error instanceof Refusal ? error : new Refusal((error as Error).message, exitCodes.usage);
  }
}

function readPoints(text: string | undefined, otherwise: number): number | null {
  return text === "all" ? null : parseCount(text ?? String(otherwise), "--points", 1_000_000);
}

function readStages(
  text: string | undefined,
  { pipelines, name }: DrillSubject,
): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const known = pipelines.flatMap(({ stages }) => stages.map((stage) => stage.name));
  const wanted = text.split(",").map((one) => one.trim());
  const stranger = wanted.find((one) => !known.includes(one));
  if (stranger !== undefined)
    throw new Refusal(`${name} has no stage "${stranger}"; it has ${known.join(", ")}.`, exitCodes.usage);
  return wanted;
}
