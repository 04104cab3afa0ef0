import { openPglite } from "../databases/pglite.ts";
import { migrateAll } from "../engine.ts";
import { systemClock } from "../run/clock.ts";
import type { Database } from "../store/database.ts";
import { composeEmptying } from "../store/emptying.ts";
import { compareFinalStates, keepEnding } from "./compare-final-states.ts";
import { type Difference, makeExecutions } from "./executions.ts";
import type { Call, FaultKind, Planned } from "./faulty-database.ts";
import { chooseCrashes } from "./points.ts";
import { type Called, type Rehearsal, rehearse, type Subject } from "./rehearse.ts";

/** What is drilled, and how thoroughly. */
export interface DrillOptions extends Subject {
  /** An open in-memory database, emptied before each run; by default a new database. */
  readonly database?: Database;
  /** Kills the process only while a stage of this list runs. */
  readonly stages?: readonly string[];
  /** Limit of crash points; null: all of them. */
  readonly pointsMax: number | null;
  /** Called after each run. */
  readonly onProgress?: (progress: { readonly runs: number; readonly of: number }) => void;
  /** Runs `act` on a later date: a stage that writes today's date repeats itself until midnight. */
  readonly later?: <T>(act: () => Promise<T>) => Promise<T>;
}

/** The report of a drill. */
export interface Drilled {
  /** Every stage gave the same result after every crash. */
  readonly ok: boolean;
  readonly documents: number;
  /** Possible crash points (`places`), and the ones tried (`points`). */
  readonly places: number;
  readonly points: number;
  readonly stages: readonly DrilledStage[];
  /** Differences not caused by any stage: bugs of Headway. */
  readonly unexplained: readonly string[];
}

/** The report of a drill about one stage. */
export interface DrilledStage {
  readonly stage: string;
  /** Crashes while this stage ran. */
  readonly points: number;
  /** Completed executions over all runs, and how many were repetitions. */
  readonly runs: number;
  readonly again: number;
  /** Dead letters without any crash. */
  readonly dead: number;
  readonly same: boolean;
  /** Runs with a different result. */
  readonly differing: number;
  readonly first: (Difference & { readonly point: string }) | null;
  readonly calledAgain: readonly CalledAgain[];
  /**
   * Services with different answers to the same call even without a crash; outputs that depend on the answers are
   * excused.
   */
  readonly fickle: readonly string[];
}

/** A service call repeated with the same arguments more often than without a crash. */
export interface CalledAgain {
  readonly method: string;
  readonly times: number;
  /** Every call carried the idempotency key. */
  readonly keyed: boolean;
}

/**
 * Runs pipelines repeatedly, with a crash at a different point each time, and compares the results.
 *
 * @example
 * import { collection, pipeline, stage } from "@headway/engine";
 * import { drill } from "@headway/engine/testing";
 * import { z } from "zod";
 *
 * const texts = collection("texts", z.object({ text: z.string() }));
 * const counts = collection("counts", z.object({ words: z.number() }));
 * const counting = stage("counting", {
 *   reads: texts,
 *   writes: [counts],
 *   *run({ id, text }) {
 *     yield counts.document(id, { words: text.split(" ").length });
 *   },
 * });
 *
 * export const drilled = () =>
 *   drill({
 *     pipelines: [pipeline("words", { stages: [counting] })],
 *     makeServices: () => ({}),
 *     documents: [texts.document("a", { text: "to be" })],
 *     pointsMax: 50,
 *   });
 */
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
  // The first plan repeats the reference run without a crash, to find dependence on time or chance.
  const plans = [[], ...chooseCrashes(reference.faults.calls, choiceOf(options)).map((one) => [one])];
  for (const [index, plan] of plans.entries()) {
    const rehearsal = await run(plan);
    const point = describePoint(rehearsal);
    if (plan.length === 0) books.excuse(rehearsal);
    books.note(rehearsal, point);
    if (rehearsal.differences.length === 0 && !rehearsal.stuck) {
      const found = await compareFinalStates(db, kept, rehearsal.ending, options.pipelines);
      if (found) books.blame(found.stage, found, point);
    }
    options.onProgress?.({ runs: index + 1, of: plans.length });
  }
  // Compares only the outputs of stages: order of arrival and date may legitimately matter elsewhere.
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

/** Collects results per stage. */
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
  /** Charges a difference to each stage at most once per run. */
  const noteDifferences = (differences: Rehearsal["differences"], point: string) => {
    const blamed = new Set<string>();
    for (const { stage, difference } of differences) {
      if (!blamed.has(stage)) blame(stage, difference, point);
      blamed.add(stage);
    }
  };
  return {
    blame,
    /** Excuses services with different answers even without a crash. */
    excuse({ differences }: Rehearsal) {
      for (const { stage, fickle } of differences)
        for (const method of fickle) lines.get(stage)?.fickle.add(method);
    },
    /** Ignores differences explained by a service's different answer: order and date may change answers too. */
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

/** Counts calls beyond the reference run's count as repeated. */
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

/** Describes the crash point. */
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
