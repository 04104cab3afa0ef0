import { parseArgs } from "node:util";
import { scenarios } from "./scenarios.ts";
import { makeSometimes } from "./sometimes.ts";
import { openSweepDatabase, type SweepOptions, type Swept, sweepScenario, sweepVariant } from "./sweep.ts";
import { variants } from "./variants.ts";

const help = `Interrupts the engine at every call that leaves it, and checks that every promise holds afterwards.

  npm run crash                            every call of every scenario (some minutes)
  npm run crash -- --quick                 a sample of them, as in CI
  npm run crash -- --scenario stream       one scenario only, without the broken engines
  npm run crash -- --pairs 200 --seed 7    200 pairs of faults for each scenario, drawn by seed 7
  npm run crash -- --json                  the last line is a summary for machines

Scenarios: ${scenarios.map((one) => one.name).join(", ")}.`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    scenario: { type: "string" },
    seed: { type: "string", default: "1" },
    pairs: { type: "string" },
  },
});

async function main(): Promise<number> {
  const chosen = scenarios.filter((one) => values.scenario === undefined || one.name === values.scenario);
  if (chosen.length === 0) {
    console.error(`There is no scenario "${values.scenario}".\n\n${help}`);
    return 2;
  }
  const real = await openSweepDatabase(scenarios);
  try {
    const options: SweepOptions = {
      real,
      sometimes: makeSometimes(),
      seed: Number(values.seed),
      pointsMax: values.quick ? 64 : null,
      pairs: Number(values.pairs ?? (values.quick ? 6 : 50)),
      tell: (progress) => void (process.stderr.isTTY && process.stderr.write(`\r\x1b[K${progress}`)),
    };
    const swept = await sweepAll(chosen, options);
    const caught = values.scenario === undefined ? await tryVariants(options) : null;
    return report(swept, caught, options);
  } finally {
    await real.close();
  }
}

async function sweepAll(chosen: typeof scenarios, options: SweepOptions): Promise<Swept[]> {
  const swept: Swept[] = [];
  console.log(row("scenario", "calls", "points", "pairs", "runs", "broken", "ms"));
  for (const scenario of chosen) {
    const one = await sweepScenario(scenario, options);
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
    console.log(row(one.scenario, one.calls, one.points, one.pairs, one.runs, one.findings.length, one.ms));
    swept.push(one);
  }
  return swept;
}

const row = (name: string, ...cells: readonly (string | number)[]) =>
  `${name.padEnd(18)}${cells.map((cell) => String(cell).padStart(8)).join("")}`;

async function tryVariants(options: SweepOptions): Promise<{ caught: number; of: number }> {
  console.log("\nEngines that are broken on purpose:");
  let count = 0;
  // What a broken engine gets into does not count as met.
  const apart = { ...options, sometimes: makeSometimes() };
  for (const variant of variants) {
    const among = scenarios.filter((one) => variant.scenarios.includes(one.name));
    const { finding, runs } = await sweepVariant(variant, among, apart);
    if (finding) count += 1;
    const found = finding
      ? `found in ${finding.scenario}: ${finding.promise} (${finding.story})`
      : "NOT FOUND";
    console.log(`  ${variant.name}\n    after ${runs} runs ${found}`);
  }
  return { caught: count, of: variants.length };
}

function report(
  swept: readonly Swept[],
  caught: { caught: number; of: number } | null,
  { sometimes, seed }: SweepOptions,
): number {
  const findings = swept.flatMap((one) => one.findings);
  for (const one of findings.slice(0, 20)) {
    console.log(`\nBROKEN: ${one.promise}\n  ${one.story}\n  in "${one.scenario}": ${one.at}`);
    console.log(`  seed ${one.seed}, ${JSON.stringify(one.plan)}`);
  }
  if (caught) {
    console.log("\nHard situations, and how often they were met:");
    for (const [what, count] of sometimes.counts) console.log(`  ${String(count).padStart(6)}  ${what}`);
  }
  const never = caught ? [...sometimes.counts].filter(([, count]) => count === 0).map(([what]) => what) : [];
  for (const what of never) console.log(`NEVER MET: ${what}`);
  const sum = (of: (one: Swept) => number) => swept.reduce((total, one) => total + of(one), 0);
  const summary = {
    scenarios: swept.length,
    points: sum((one) => one.points),
    runs: sum((one) => one.runs),
    pairs: sum((one) => one.pairs),
    violations: findings.length,
    brokenVariantsCaught: caught?.caught ?? 0,
    brokenVariants: caught?.of ?? 0,
    sometimesMissing: never,
    seed,
  };
  console.log(
    `\n${summary.points} points in ${summary.scenarios} scenarios, ${summary.runs} runs, ${summary.violations} broken promises.`,
  );
  if (values.json) console.log(JSON.stringify(summary));
  const fine = findings.length === 0 && never.length === 0 && (!caught || caught.caught === caught.of);
  return fine ? 0 : 1;
}

if (values.help) console.log(help);
else process.exitCode = await main();
