import { cpus, loadavg } from "node:os";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { completionTrials } from "./measures/completions.ts";
import { enqueueTrials } from "./measures/enqueue.ts";
import { growthTrials } from "./measures/growth.ts";
import { pipelineTrials } from "./measures/pipeline.ts";
import { processTrials } from "./measures/processes.ts";
import { recoveryTrials } from "./measures/recovery.ts";
import { wakeTrials } from "./measures/wake.ts";
import { yardstickTrials } from "./measures/yardsticks.ts";
import { type Found, markdownOf, showFigure, summaryOf } from "./report.ts";
import { commitNow, keepResult, machineFacts } from "./results.ts";
import { readServerSettings } from "./server.ts";
import { measures, quickScale, type Scale, type Trial, wholeScale } from "./trial.ts";

const help = `npm run bench -- [--only a,c] [--rows TEXT] [--repetitions N] [--quick] [--ten-million] [--kill-peers] [--json]

Measures Headway and its peers on the same PostgreSQL in the same minutes, repetition after repetition. Take a machine that
does nothing else.

  --only a,c        some of the measures:
${Object.entries(measures)
  .map(([letter, name]) => `                      ${letter}  ${name}`)
  .join("\n")}
  --rows TEXT       only rows whose name has this text in it; may be given again
  --repetitions N   how often everything is done (default: 3)
  --quick           small counts, once: to see that it works; nothing is kept
  --ten-million     growth up to ten million completions as well
  --kill-peers      peers whose timers allow it are killed and waited for too (BullMQ, a minute each)
  --json            the last line only; everything else goes to the standard error

A whole run is kept in bench/results; npm run bench:chart draws what is there.`;

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    rows: { type: "string", multiple: true },
    repetitions: { type: "string" },
    quick: { type: "boolean", default: false },
    "ten-million": { type: "boolean", default: false },
    "kill-peers": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const say = (line: string) => void (options.json ? process.stderr : process.stdout).write(`${line}\n`);

function scaleOf(): Scale {
  const scale = options.quick ? quickScale : wholeScale;
  return {
    ...scale,
    killPeers: options["kill-peers"],
    growthSizes: options["ten-million"] ? [...scale.growthSizes, 10_000_000] : scale.growthSizes,
    limitMs: options["ten-million"] ? scale.limitMs * 6 : scale.limitMs,
  };
}

function chosenTrials(scale: Scale): readonly Trial[] {
  const letters = options.only?.split(",") ?? Object.keys(measures);
  const unknown = letters.find((letter) => !(letter in measures));
  if (unknown !== undefined)
    throw new Error(`There is no measure "${unknown}": choose among ${Object.keys(measures).join(", ")}.`);
  return [
    ...yardstickTrials(scale),
    ...completionTrials(scale),
    ...enqueueTrials(scale),
    ...wakeTrials(scale),
    ...recoveryTrials(scale),
    ...pipelineTrials(scale),
    ...growthTrials(scale),
    ...processTrials(scale),
  ]
    .filter(({ letter }) => letters.includes(letter))
    .filter(({ row }) => !options.rows || options.rows.some((word) => row.includes(word)));
}

interface Kept {
  readonly trial: Trial;
  readonly samples: Record<string, number[]>;
  absent: string | null;
}

/** A failing contender is reported as absent with the reason and not tried again; the run goes on. */
async function runOnce(kept: Kept): Promise<void> {
  const { trial, samples } = kept;
  if (kept.absent !== null) return;
  try {
    const figures = Object.entries(await trial.run()).filter(([, value]) => value !== null);
    for (const [figure, value] of figures) samples[figure] = [...(samples[figure] ?? []), value as number];
    say(
      `  ${trial.letter}  ${trial.row}: ${figures.map(([name, value]) => `${name} ${showFigure(value!)}`).join(", ")}`,
    );
  } catch (error) {
    kept.absent = (error as Error).message;
    say(`  ${trial.letter}  ${trial.row}: absent, ${kept.absent}`);
  }
}

async function main(): Promise<void> {
  if (options.help) return say(help);
  // All contenders get notifications through the database, unless a row says otherwise.
  delete process.env.HEADWAY_BROKER_URL;
  const scale = scaleOf();
  const trials = chosenTrials(scale);
  const repetitions = Number(options.repetitions ?? (options.quick ? 1 : 3));
  const settings = await readServerSettings();
  const at = new Date().toISOString();
  const { commit, changed } = commitNow();
  const machine = machineFacts(settings);
  say(
    `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, commit ${commit}${changed ? " with changes" : ""}`,
  );
  say(
    `PostgreSQL: ${Object.entries(settings)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}`,
  );
  const all = trials.map((trial): Kept => ({ trial, samples: {}, absent: null }));
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    say(`repetition ${repetition} of ${repetitions}`);
    for (const kept of all) await runOnce(kept);
  }
  const found = all.map(({ trial, samples, absent }): Found => {
    const { letter, row, reference = false } = trial;
    return { letter, row, reference, samples, absent };
  });
  const summary = summaryOf(found);
  say(`\n${markdownOf(found)}\n`);
  if (!options.quick) {
    const file = keepResult({ at, commit, changed, machine, repetitions, summary, found });
    say(`kept in ${relative(process.cwd(), file)}`);
  }
  process.stdout.write(`${JSON.stringify(summary)}\n`);
}

await main().catch((error: Error) => {
  process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = 1;
});
