import { parseArgs } from "node:util";
import { variants } from "../crash/variants.ts";
import { openGround } from "./ground.ts";
import { simulate } from "./run.ts";
import { simulateAll, tellStory } from "./runs.ts";
import { enoughRuns, makeSometimes, neverMet } from "./sometimes.ts";
import { runShare, spread, type Tally } from "./spread.ts";

const help = `Simulates workers, letters, people and a storm of faults in virtual time, and checks every promise.

  npm run sim -- --runs 10000         so many stories, from a new seed on
  npm run sim -- --seed 7 --runs 1    one story again, exactly as it was
  npm run sim -- --seed 7 --story     the same, and every call of it
  npm run sim -- --broken refused     an engine that is broken on purpose: it has to be found out
  npm run sim -- --processes 1        without a second process
  npm run sim -- --json               nothing but the summary

Engines that are broken on purpose:
${variants.map(({ name }) => `  ${name}`).join("\n")}`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    runs: { type: "string", default: "500" },
    seed: { type: "string" },
    story: { type: "boolean", default: false },
    broken: { type: "string" },
    processes: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
  },
});

const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
const runs = Number(values.runs);
const say = (words: string) => {
  if (!values.json) console.log(words);
};
const progress = (done: number) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${done} of ${runs} runs`);
};

async function main(): Promise<number> {
  if (!(Number.isInteger(seed) && Number.isInteger(runs) && runs > 0)) {
    console.error("--seed and --runs must be whole numbers.");
    return 2;
  }
  if (values.story) return await tellAll();
  if (values.broken !== undefined) return await findOut(values.broken);
  const startedAt = performance.now();
  const processes = runs < 50 ? 1 : Number(values.processes);
  const tally = await spread({ seed, runs }, processes, progress);
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  return await report(tally, (performance.now() - startedAt) / 1_000);
}

async function report({ runs: done, broken, sometimes, storyHash }: Tally, seconds: number): Promise<number> {
  const never = done < enoughRuns ? [] : neverMet(sometimes);
  for (const [what, count] of Object.entries(sometimes)) say(`${String(count).padStart(8)}  ${what}`);
  for (const what of never) say(`NEVER MET: ${what}`);
  const [first] = broken;
  if (first) {
    const ground = await openGround();
    for (const line of await tellStory(first, { ground })) say(line);
    await ground.close();
    say(`\nSeeds that broke a promise: ${broken.map((one) => one.seed).join(", ")}`);
    say(`Again: npm run sim -- --runs 1 --seed ${first.seed}`);
  }
  const violations = broken.reduce((sum, one) => sum + one.violations.length, 0);
  const runsPerSecond = Math.round((10 * done) / seconds) / 10;
  const brokenSeeds = broken.map((one) => one.seed);
  console.log(
    JSON.stringify({ runs: done, seed, violations, brokenSeeds, sometimes, runsPerSecond, storyHash }),
  );
  return violations === 0 && never.length === 0 ? 0 : 1;
}

/** Prints every call, answer and signal of one story. */
async function tellAll(): Promise<number> {
  const ground = await openGround();
  const { violations, storyHash } = await simulate({
    seed,
    ground,
    sometimes: makeSometimes(),
    tell: (line) => console.log(line),
  });
  await ground.close();
  for (const { promise, story } of violations) console.log(`BROKEN: ${promise}: ${story}`);
  console.log(JSON.stringify({ runs: 1, seed, violations: violations.length, storyHash }));
  return violations.length === 0 ? 0 : 1;
}

/** Succeeds if the broken engine is detected. */
async function findOut(name: string): Promise<number> {
  const variant = variants.find((one) => one.name.includes(name));
  if (!variant) {
    console.error(`There is no broken engine "${name}".\n\n${help}`);
    return 2;
  }
  const ground = await openGround();
  const { store } = variant;
  const found = await simulateAll({ ground, runs, seed, store, untilBroken: true, tell: progress });
  const [first] = found.broken;
  if (first) for (const line of await tellStory(first, { ground, store })) say(line);
  await ground.close();
  say(first ? `Found out by seed ${first.seed}: ${variant.name}.` : `NOT FOUND OUT: ${variant.name}.`);
  const violations = first?.violations.length ?? 0;
  console.log(JSON.stringify({ runs: found.runs, seed, broken: variant.name, violations }));
  return first ? 0 : 1;
}

if (values.help) console.log(help);
else if (process.send) await runShare((word) => process.send?.(word));
else process.exitCode = await main();
