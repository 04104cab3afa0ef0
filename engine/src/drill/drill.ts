import { migrateAll } from "../engine.ts";
import { systemClock } from "../run/clock.ts";
import type { Database } from "../store/database.ts";
import { composeEmptying } from "../store/emptying.ts";
import { openPglite } from "../store/pglite.ts";
import { compareEndings, keepEnding } from "./compare-endings.ts";
import { type Difference, makeExecutions } from "./executions.ts";
import type { Call, FaultKind, Planned } from "./faulty-database.ts";
import { chooseCrashes } from "./points.ts";
import { type Called, type Rehearsal, rehearse, type Subject } from "./rehearse.ts";

export interface DrillOptions extends Subject {
  /** One in memory that is open already, and is emptied before each run; by default a new one. */
  readonly database?: Database;
  /** Kills only while one of these is at work. */
  readonly stages?: readonly string[];
  /** At most so many places; null: every one there is. */
  readonly pointsMax: number | null;
  readonly onProgress?: (progress: { readonly runs: number; readonly of: number }) => void;
  /** Does something as if it were later: a stage that only writes down the day is the same until midnight. */
  readonly later?: <T>(act: () => Promise<T>) => Promise<T>;
}

/** What the drill found out. */
export interface Drilled {
  /** Every stage came to the same result, wherever the process was killed. */
  readonly ok: boolean;
  readonly documents: number;
  /** Places where the process could be killed, and those where it was. */
  readonly places: number;
  readonly points: number;
  readonly stages: readonly DrilledStage[];
  /** What no stage is answerable for: it would be a bug of Headway. */
  readonly unexplained: readonly string[];
}

export interface DrilledStage {
  readonly stage: string;
  /** How often the process was killed while it was at work. */
  readonly points: number;
  /** How often it worked on something to the end, over all runs, and how much of that was work done again. */
  readonly runs: number;
  readonly again: number;
  /** Dead letters it has even if nothing is killed. */
  readonly dead: number;
  readonly same: boolean;
  /** Runs in which it did something else. */
  readonly differing: number;
  readonly first: (Difference & { readonly point: string }) | null;
  readonly calledAgain: readonly CalledAgain[];
  /** Services whose answers to the same question differ even if nothing is killed, and with them what it makes of them. */
  readonly fickle: readonly string[];
}

/** A service that was called with the same arguments once more than without a crash. */
export interface CalledAgain {
  readonly method: string;
  readonly times: number;
  /** It was given the idempotency key each time. */
  readonly keyed: boolean;
}

/** Runs pipelines again and again, killing the process at another place each time, and compares what comes of it. */
export async function drill(options: DrillOptions): Promise<Drilled> {
  const db = options.database ?? (await openPglite({ folder: null, inline: true }));
  try {
    await migrateAll(db, options.pipelines);
    return await drillOn(db, options);
  } finally {
    if (db !== options.database) await db.close();
  }
}

async function drillOn(db: Database, options: DrillOptions): Promise<Drilled> {
  const executions = makeExecutions();
  const emptying = await composeEmptying(db);
  const clock = systemClock();
  const run = (plan: readonly Planned[], reversed = false) =>
    rehearse({ db, emptying, subject: options, plan, executions, clock, reversed });
  const reference = await run([]);
  if (reference.stuck !== null)
    throw new Error(`Without a crash it does not come to an end: ${reference.stuck}`);
  const kept = await keepEnding(db, reference.ending);
  const books = openBooks(options, reference);
  // The first of them is the same once more, without a crash: what depends on the time or on chance shows already.
  const plans = [[], ...chooseCrashes(reference.faults.calls, choiceOf(options)).map((one) => [one])];
  for (const [index, plan] of plans.entries()) {
    const rehearsal = await run(plan);
    const point = describePoint(rehearsal);
    if (plan.length === 0) books.excuse(rehearsal);
    books.note(rehearsal, point);
    if (rehearsal.differences.length === 0 && !rehearsal.stuck) {
      const found = await compareEndings(db, kept, rehearsal.ending, options.pipelines);
      if (found) books.blame(found.stage, found, point);
    }
    options.onProgress?.({ runs: index + 1, of: plans.length });
  }
  // Here only what stages make is compared: which of two documents came first, and what day it is, may matter elsewhere.
  books.noteElsewhere(await run([], true), "run again, with the documents one by one, the last one first");
  if (options.later) books.noteElsewhere(await options.later(() => run([])), "run again, on another day");
  return books.close();
}

const choiceOf = ({ stages, pointsMax }: DrillOptions) => ({ stages: stages ?? null, pointsMax });

interface Line {
  points: number;
  runs: number;
  again: number;
  differing: number;
  first: (Difference & { point: string }) | null;
  readonly called: Map<string, { times: number; keyed: boolean }>;
  readonly fickle: Set<string>;
}

/** Adds up what happened to each stage. */
function openBooks({ pipelines, documents, stages }: DrillOptions, reference: Rehearsal) {
  const names = pipelines.flatMap((pipeline) => pipeline.stages.map(({ name }) => name));
  const lines = new Map<string, Line>(
    names.map((name) => [
      name,
      { points: 0, runs: 0, again: 0, differing: 0, first: null, called: new Map(), fickle: new Set() },
    ]),
  );
  const unexplained: string[] = [];
  let points = 0;
  const blame = (stage: string | null, found: Difference, point: string) => {
    const line = stage === null ? undefined : lines.get(stage);
    if (!line) return void unexplained.push(`${found.document}: ${String(found.is ?? "gone")} (${point})`);
    line.differing += 1;
    line.first ??= { ...found, point };
  };
  /** Each stage is blamed once a run, for what it cannot put down to somebody else. */
  const noteDifferences = (differences: Rehearsal["differences"], point: string) => {
    const blamed = new Set<string>();
    for (const { stage, difference } of differences) {
      if (!blamed.has(stage)) blame(stage, difference, point);
      blamed.add(stage);
    }
  };
  return {
    blame,
    /** Who answers otherwise although nothing was killed does so for reasons of its own. */
    excuse({ differences }: Rehearsal) {
      for (const { stage, fickle } of differences)
        for (const method of fickle) lines.get(stage)?.fickle.add(method);
    },
    /** In another world others may answer otherwise: then it says nothing. */
    noteElsewhere({ differences }: Rehearsal, point: string) {
      noteDifferences(
        differences.filter(({ fickle }) => fickle.length === 0),
        point,
      );
    },
    note(rehearsal: Rehearsal, point: string) {
      const [fired] = rehearsal.faults.fired;
      if (fired) points += 1;
      const struck = fired?.call.stage ? lines.get(fired.call.stage) : undefined;
      if (struck) struck.points += 1;
      noteDifferences(
        rehearsal.differences.filter(
          ({ stage, fickle }) => !fickle.some((method) => lines.get(stage)?.fickle.has(method)),
        ),
        point,
      );
      if (rehearsal.stuck !== null)
        blame(
          fired?.call.stage ?? null,
          { ...nowhere, document: "it does not come to an end", is: rehearsal.stuck },
          point,
        );
      countRuns(rehearsal, lines);
      countCalls(rehearsal.calls, reference.calls, lines);
    },
    close(): Drilled {
      const told = [...lines].filter(([name]) => !stages || stages.includes(name));
      const drilled = told.map(([stage, line]) => lineOf(stage, line, reference));
      return {
        ok: unexplained.length === 0 && drilled.every(({ same }) => same),
        documents: documents.length,
        places: chooseCrashes(reference.faults.calls, { stages: stages ?? null, pointsMax: null }).length,
        points,
        stages: drilled,
        unexplained,
      };
    },
  };
}

const nowhere = { output: null, field: null, was: null };

function lineOf(stage: string, line: Line, { ending }: Rehearsal): DrilledStage {
  const { points, runs, again, differing, first } = line;
  const dead = ending.filter((one) => one.kind === "dead" && one.stage === stage).length;
  const calledAgain = [...line.called].map(([method, { times, keyed }]) => ({ method, times, keyed }));
  const fickle = [...line.fickle];
  return { stage, points, runs, again, dead, same: differing === 0, differing, first, calledAgain, fickle };
}

function countRuns({ runs }: Rehearsal, lines: ReadonlyMap<string, Line>): void {
  for (const [stage, times] of runs) {
    const line = lines.get(stage);
    if (!line) continue;
    for (const count of times.values()) {
      line.runs += count;
      line.again += count - 1;
    }
  }
}

/** The same call as often as without a crash is what it is; once more is once too often. */
function countCalls(
  calls: readonly Called[],
  reference: readonly Called[],
  lines: ReadonlyMap<string, Line>,
): void {
  const left = new Map<string, number>();
  const keyOf = ({ stage, document, method, arguments: given }: Called) =>
    JSON.stringify([stage, document, method, given]);
  for (const call of reference) left.set(keyOf(call), (left.get(keyOf(call)) ?? 0) + 1);
  for (const call of calls) {
    const key = keyOf(call);
    const allowed = left.get(key) ?? 1;
    left.set(key, allowed - 1);
    const line = lines.get(call.stage);
    if (allowed > 0 || !line) continue;
    const before = line.called.get(call.method) ?? { times: 0, keyed: true };
    line.called.set(call.method, { times: before.times + 1, keyed: before.keyed && call.keyed });
  }
}

/** Where the process was killed, in words. */
function describePoint({ faults }: Rehearsal): string {
  const [fired] = faults.fired;
  return fired
    ? `${placeOf(fired.call, fired.kind)} (call ${fired.call.number})`
    : "run again, without a crash";
}

function placeOf({ what, text, stage }: Call, kind: FaultKind): string {
  const who = stage ?? "the engine";
  const before = kind === "crash before";
  if (what === "service")
    return before
      ? `${who} killed before it called ${text}`
      : `${who} killed before it heard the answer of ${text}`;
  if (what === "statement") return `${who} killed in the middle of a transaction`;
  if (what === "commit" || text.startsWith("fresh"))
    return before
      ? `${who} killed before its commit`
      : `${who} killed after its commit, before it heard of it`;
  return before ? `${who} killed before it asked the database` : `${who} killed before the database answered`;
}
