import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { samplePath } from "@headway/consensus";
import { virtualClock } from "../engine/src/testing.ts";
import { type HeadwayProcess, runHeadway, startHeadway } from "../test/consensus/headway-process.ts";
import type { Violation } from "./evidence.ts";
import { compareOutcomes, type Outcome, readOutcomeAt } from "./outcome.ts";

export interface KillPlan {
  readonly archive: string;
  readonly kills: number;
  readonly seed: number;
  readonly json: boolean;
}

/** What is known when a proof by kills begins. */
export interface KillBench extends KillPlan {
  /** For data folders; deleted in the end unless an outcome differs. */
  readonly folder: string;
  readonly random: () => number;
  readonly tell: (line: string) => void;
  readonly quiet: QuietRun;
  /** Factor of the time until a kill. */
  readonly pace: number;
}

/** Rounds in a row without a kill before the proof gives up, without success. */
const idleMax = 4;

export interface QuietRun {
  readonly outcome: Outcome;
  /** 0, or 3 for an archive with dead letters. */
  readonly code: number | null;
  /** Of a process with nothing to do: start, look and end. */
  readonly startMs: number;
  readonly workMs: number;
}

/** One archive read to its end under kills. */
export interface Round {
  readonly kills: number;
  readonly outcome: Outcome;
  readonly violations: readonly Violation[];
}

const optionsHelp = `
  --archive PATH   what is read (default: the sample that is in the repository)
  --kills N        so many kills (default: 30); a new round begins when an archive is read before they are used up
  --seed N         decides when and what is killed (default: 1)
  --json           nothing but the summary`;

function readPlan(help: string): KillPlan | string {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      archive: { type: "string", default: samplePath() },
      kills: { type: "string", default: "30" },
      seed: { type: "string", default: "1" },
    },
  });
  const [kills, seed] = [Number(values.kills), Number(values.seed)];
  if (values.help) return `${help}\n${optionsHelp}`;
  if (!(Number.isInteger(kills) && kills > 0 && Number.isInteger(seed)))
    return `--kills and --seed must be whole numbers.\n${optionsHelp}`;
  return { archive: values.archive, json: values.json, kills, seed };
}

/** An undisturbed `headway ingest`, and once more, to know how long a process takes to start. */
async function runUndisturbed(archive: string, folder: string): Promise<QuietRun> {
  const words = ["ingest", archive, "--data", join(folder, "quiet")];
  const from = performance.now();
  const { code, err } = await runHeadway(words, { cwd: folder });
  if (code !== 0 && code !== 3) throw new Error(`Undisturbed, headway ended with ${code}: ${err}`);
  const done = performance.now();
  await runHeadway(words, { cwd: folder });
  const startMs = performance.now() - done;
  const workMs = Math.max(300, done - from - startMs);
  return { outcome: await readOutcomeAt({ data: join(folder, "quiet") }), code, startMs, workMs };
}

/**
 * Rounds until all kills are used up, each compared with the undisturbed run in its current state, before any
 * requeue.
 */
export async function proveByKills(
  help: string,
  play: (bench: KillBench, round: { readonly at: number; readonly killsMax: number }) => Promise<Round>,
): Promise<number> {
  const plan = readPlan(help);
  if (typeof plan === "string") {
    console.log(plan);
    return process.argv.includes("--help") ? 0 : 2;
  }
  const folder = await mkdtemp(join(tmpdir(), "headway-kills-"));
  const tell = (line: string) => void (plan.json || console.log(line));
  const { random } = virtualClock({ seed: plan.seed });
  const found = { rounds: 0, kills: 0, violations: [] as Violation[], dead: 0 };
  try {
    const quiet = await runUndisturbed(plan.archive, folder);
    tell(`Undisturbed: ${quiet.outcome.size} rows and dead letters; ${Math.round(quiet.workMs)} ms of work.`);
    // Rounds without a kill begin sooner with theirs; several in a row show an archive too small for this machine.
    for (let idle = 0; found.kills < plan.kills && idle < idleMax; ) {
      found.rounds += 1;
      const killsMax = plan.kills - found.kills;
      const pace = 0.5 ** idle;
      const round = await play(
        { ...plan, folder, random, tell, quiet, pace },
        { at: found.rounds, killsMax },
      );
      const differing = [...round.violations, ...compareOutcomes(round.outcome, quiet.outcome)];
      tell(`Round ${found.rounds}: ${round.kills} kills, ${differing.length} differences.`);
      for (const { promise, story } of differing.slice(0, 20)) tell(`  ${promise}: ${story}`);
      found.kills += round.kills;
      found.violations.push(...differing);
      found.dead += deadOfWorkers(round.outcome);
      idle = round.kills === 0 ? idle + 1 : 0;
    }
    return report(plan, quiet, found);
  } finally {
    // Databases that differ are evidence: they stay.
    if (found.violations.length > 0) console.error(`Data folders are kept in ${folder}.`);
    else await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const deadOfWorkers = (outcome: Outcome) =>
  [...outcome].filter(([name, text]) => name.startsWith("dead letter") && text === "worker.lost").length;

function report(
  plan: KillPlan,
  quiet: QuietRun,
  {
    rounds,
    kills,
    violations,
    dead,
  }: { rounds: number; kills: number; violations: Violation[]; dead: number },
): number {
  const fine = violations.length === 0 && kills >= plan.kills;
  const harmed = (harm: Violation["harm"]) => violations.filter((one) => one.harm === harm).length;
  if (!fine && plan.json)
    for (const { promise, story } of violations.slice(0, 20)) console.error(`${promise}: ${story}`);
  const summary = {
    seed: plan.seed,
    rows: quiet.outcome.size,
    rounds,
    kills,
    lost: harmed("lost"),
    doubled: harmed("doubled"),
    deadOfKills: dead,
    violations: violations.length,
  };
  console.log(JSON.stringify(summary));
  return fine ? 0 : 1;
}

/** Longer than any reading takes: a longer process hangs. */
const hangMs = 15 * 60_000;

/** Ends when the promise does, or says what hangs. */
export async function unlessHanging<T>(what: string, waiting: Promise<T>): Promise<T> {
  const over = new AbortController();
  const hang = pause(hangMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${what} hangs.`);
  });
  try {
    return await Promise.race([waiting, hang]);
  } finally {
    over.abort();
    hang.catch(() => undefined);
  }
}

export const start = (words: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) =>
  startHeadway(words, { cwd, env });

/** Like an OOM killer, the process alone, or like a lost machine, with its children. */
export function killHard(one: HeadwayProcess, withChildren: boolean): void {
  if (withChildren) one.kill();
  else one.signal("SIGKILL");
}
