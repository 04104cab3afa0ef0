import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpus, totalmem } from "node:os";
import {
  type Baseline,
  type Comparison,
  compareSamples,
  keepBaselines,
  migrateAll,
  readBaselines,
  recordAct,
} from "@headway/engine/internal";
import { type Database, openDatabase } from "@headway/engine/operate";
import { runsConsensus, runsManuals } from "../app/current-app.ts";
import { actorName } from "../desk.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import { engineTest } from "../measuring/engine-test.ts";
import { environmentOf, refuseProduction } from "../measuring/environment.ts";
import { manualSizes, manualsTest } from "../measuring/manuals-test.ts";
import { type Figures, observe, type Test } from "../measuring/observe.ts";
import { sampleTest } from "../measuring/sample-test.ts";
import type { Adding } from "../run.ts";
import { parseCount, placeOf, sharedFlags } from "../shared-options.ts";
import { type Column, type Console, showCount, showNumber, table } from "../terminal.ts";
import { whenFree } from "../when-free.ts";

export function addBench({ program, console }: Adding): void {
  program
    .command("bench")
    .description("Measure engine and pipelines, and compare with the last run")
    .option("--repetitions <count>", "how often each test is run", "5")
    .option(
      "--only <test>",
      "engine, consensus, manuals (three sizes), or manuals-50, manuals-200, manuals-1116 (default: all)",
    )
    .option("--dry-run", "only say what would be run and kept; changes nothing")
    .option("--quick", "few documents: to see that it works; nothing is kept")
    .option(
      "--environment <name>",
      "what the results are kept under (HEADWAY_ENVIRONMENT; default: development)",
    )
    .option("--commit <id>", "what was measured (HEADWAY_COMMIT; default: what git says)")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", helpText)
    .action(async (options) => {
      refuseProduction(options.environment ?? process.env.HEADWAY_ENVIRONMENT);
      const { database: place } = placeOf(options);
      const repetitions = parseCount(options.repetitions, "--repetitions", 100);
      if (options.dryRun) return tellPlan(chosenTests(options.only, 1), repetitions, options, console);
      const ledger = await whenFree(() => openDatabase(place, { poolMax: 2 }));
      try {
        await migrateAll(ledger, []);
        const environment = await environmentOf(options.environment, ledger);
        const earlier = await readBaselines(ledger, environment);
        const tests = chosenTests(options.only, options.quick ? 200 : 5_000);
        const found = await runAll(tests, repetitions, (test) => observe(test, place, ledger), console);
        const run = {
          run: randomUUID(),
          at: new Date(),
          commit: commitOf(options.commit),
          environment,
          machine,
        };
        const baselines = [...found].flatMap(([test, figures]) => baselinesOf(test, figures, run));
        if (!options.quick) await keep(ledger, baselines, run);
        const lines = baselines.map((one) => compare(one, earlier));
        if (options.json) lines.forEach(console.writeJson);
        else tell(lines, console);
      } finally {
        await ledger.close();
      }
    });
}

async function keep(
  ledger: Database,
  baselines: readonly Baseline[],
  { run, environment, commit }: Pick<Baseline, "run" | "environment" | "commit">,
): Promise<void> {
  await keepBaselines(ledger, baselines);
  const detail = { run, commit, figures: baselines.length };
  await recordAct({ database: ledger, actor: actorName() }, { act: "bench", target: environment, detail });
}

function tellPlan(
  tests: readonly Test[],
  repetitions: number,
  { json, quick }: { readonly json?: boolean | undefined; readonly quick?: boolean | undefined },
  console: Console,
): void {
  const names = tests.map(({ name }) => name);
  if (json) {
    console.writeJson({ dryRun: true, tests: names, repetitions, kept: !quick });
    return;
  }
  const kept = quick ? "keep nothing" : "keep the figures in performance_baselines";
  console.write(
    `Would run ${names.join(" and ")}, ${showCount(repetitions, "time")} each, in a schema of its own, and ${kept}. Nothing was changed.\n`,
  );
}

function chosenTests(only: string | undefined, documents: number): readonly Test[] {
  const tests = [
    engineTest(documents),
    ...(runsConsensus() ? [sampleTest()] : []),
    ...(runsManuals() ? manualSizes.map(manualsTest) : []),
  ];
  const chosen = tests.filter(
    ({ name }) => only === undefined || name === only || name.startsWith(`${only}-`),
  );
  if (chosen.length > 0) return chosen;
  const names = tests.map(({ name }) => name).join(", ");
  throw new Refusal(`There is no test "${only}"; there are: ${names}.`, exitCodes.usage);
}

/** Repetition by repetition, so a busy minute of the machine affects all tests. */
async function runAll(
  tests: readonly Test[],
  repetitions: number,
  act: (test: Test) => Promise<Figures>,
  console: Console,
): Promise<ReadonlyMap<Test, readonly Figures[]>> {
  const found = new Map<Test, Figures[]>(tests.map((test) => [test, []]));
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    for (const test of tests) {
      console.warn(`${test.name}, ${repetition} of ${repetitions} …\n`);
      found.get(test)?.push(await act(test));
    }
  }
  return found;
}

const helpText = `
Examples:
  headway bench
  headway bench --repetitions 10 --environment laptop
  headway bench --only manuals-1116 --repetitions 1
  HEADWAY_DATABASE_URL=postgres://bench@localhost/bench headway bench --json

Each test runs on documents of its own in an empty place beside the real one, which is gone afterwards: generated documents,
the sample archive, and generated manuals of 50, 200 and 1,116 pages. Figures: documents a second, time of each stage, statements
with their time and those over 100 ms, calls of services, processor, memory, disk. Results are kept in performance_baselines. A change is told with the interval in which it lies 19 times out of 20; without one there is nothing
to see. It refuses to run where HEADWAY_ENVIRONMENT is production, or where the database says so:
  alter database shop set headway.environment = 'production'`;

const machine = {
  cores: cpus().length,
  processor: cpus()[0]?.model ?? "unknown",
  memoryGb: Math.round(totalmem() / 1e9),
  system: process.platform,
  node: process.version,
};

function commitOf(given: string | undefined): string {
  const named = given ?? process.env.HEADWAY_COMMIT;
  if (named) return named;
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "unknown";
  }
}

type Run = Pick<Baseline, "run" | "at" | "commit" | "environment" | "machine">;

/** Repetitions without a figure, such as of an idle stage, are left out. */
function baselinesOf({ name: test, documentSet }: Test, figures: readonly Figures[], run: Run): Baseline[] {
  const names = [...new Set(figures.flatMap((one) => Object.keys(one)))];
  return names.map((figure) => {
    const samples = figures.flatMap((one) => one[figure] ?? []);
    return { ...run, test, documentSet, figure, samples };
  });
}

interface Line extends Baseline {
  readonly before: Baseline | null;
  readonly comparison: Comparison | null;
}

function compare(one: Baseline, earlier: readonly Baseline[]): Line {
  const before = earlier.find(
    ({ test, documentSet, figure }) =>
      test === one.test && documentSet === one.documentSet && figure === one.figure,
  );
  const better = one.figure === "throughput" ? "more" : "less";
  const comparison = before ? compareSamples(before.samples, one.samples, better) : null;
  return { ...one, before: before ?? null, comparison };
}

function tell(lines: readonly Line[], console: Console): void {
  console.write(`${table(lines, columns, console.columns)}\n`);
  const first = lines.find(({ before }) => before)?.before;
  if (!first) {
    console.warn("There was nothing to compare with: this is the first run here.\n");
    return;
  }
  const worse = lines.filter(({ comparison }) => comparison?.verdict === "worse").length;
  const news =
    worse === 0 ? "nothing became worse" : `${worse} of ${showCount(lines.length, "figure")} became worse`;
  console.warn(`Compared with commit ${first.commit} of ${first.at.toISOString().slice(0, 16)}: ${news}.\n`);
}

const mean = (samples: readonly number[]): number =>
  samples.reduce((sum, each) => sum + each, 0) / Math.max(1, samples.length);
const showFigure = (value: number): string => (value >= 100 ? showNumber(value) : value.toPrecision(3));

const columns: readonly Column<Line>[] = [
  { title: "TEST", of: ({ test }) => test },
  { title: "FIGURE", of: ({ figure }) => figure },
  { title: "MEAN", of: ({ samples }) => showFigure(mean(samples)), align: "right" },
  {
    title: "LEAST",
    of: ({ samples }) => showFigure(Math.min(...samples)),
    align: "right",
  },
  { title: "MOST", of: ({ samples }) => showFigure(Math.max(...samples)), align: "right" },
  { title: "CHANGE", of: ({ comparison }) => changeText(comparison) },
];

function changeText(comparison: Comparison | null): string {
  if (!comparison) return "";
  const { changePercent, lowPercent, highPercent, verdict } = comparison;
  const signed = (value: number) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
  const interval = `${signed(lowPercent)} to ${signed(highPercent)}`;
  return `${signed(changePercent)} % (${interval})${verdict === "same" ? "" : `, ${verdict}`}`;
}
