import type { DocumentDraft } from "../define/collection.ts";
import type { Pipeline } from "../define/pipeline.ts";
import type { Clock } from "../run/clock.ts";
import type { Database } from "../store/database.ts";
import { type FinalLine, readEnding } from "../store/final-state.ts";
import type { Compared, Executions } from "./executions.ts";
import { type Faults, type Planned, planFaults } from "./faulty-database.ts";
import type { ServiceCall } from "./observe-services.ts";
import { observePipelines } from "./observe-stages.ts";
import { makeStep, makeWorld, Stuck, type Waiting } from "./world.ts";

/** The pipelines, services and documents under test. */
export interface Subject {
  readonly pipelines: readonly Pipeline[];
  /**
   * Creates the services anew for each run, so runs share nothing; within a run the services survive crashes, as in
   * reality.
   */
  readonly makeServices: (given: { readonly database: Database }) => unknown;
  readonly documents: readonly DocumentDraft[];
}

export interface RehearsalParts {
  readonly db: Database;
  /** SQL script for emptying the database. */
  readonly emptying: string;
  readonly subject: Subject;
  readonly plan: readonly Planned[];
  readonly executions: Executions;
  readonly clock: Clock;
  /** Hands documents in one by one, last first, each after the previous has been completed. */
  readonly reversed?: boolean;
}

/** Result of one run from an empty database to the end. */
export interface Rehearsal {
  readonly faults: Faults;
  readonly ending: readonly FinalLine[];
  /** Stages with different outputs for an input seen before, in order of execution. */
  readonly differences: readonly (Compared & { readonly stage: string })[];
  /** Executions by stage, then input. */
  readonly runs: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly calls: readonly Called[];
  /** Reason of a run that did not end; null otherwise. */
  readonly stuck: string | null;
}

export interface Called extends ServiceCall {
  readonly stage: string;
  readonly document: string;
}

/** Runs the documents through the pipelines, with crashes according to the plan, until all tasks have settled. */
export async function rehearse(parts: RehearsalParts): Promise<Rehearsal> {
  const { db, subject, executions } = parts;
  await db.script(parts.emptying);
  const services = (await subject.makeServices({ database: db })) as Readonly<Record<string, unknown>>;
  let stage: string | null = null;
  const faults = planFaults(parts.plan, () => stage);
  const differences: (Compared & { stage: string })[] = [];
  const runs = new Map<string, Map<string, number>>();
  const calls: Called[] = [];
  const inCode = watchCode(parts.clock);
  const world = makeWorld({
    real: db,
    faults,
    services,
    pipelines: (process) =>
      observePipelines(subject.pipelines, {
        process,
        faults,
        enter: (name, document) => inCode.enter(`Stage "${name}" with ${document}`, () => process.dead),
        finished(name, given, made) {
          if (process.dead) return;
          const times = runs.get(name) ?? new Map<string, number>();
          runs.set(name, times.set(given.name, (times.get(given.name) ?? 0) + 1));
          const found = executions.compare(name, given, made);
          if (found) differences.push({ ...found, stage: name });
        },
        called: (name, document, call) => void calls.push({ ...call, stage: name, document }),
      }),
    onDeath: async () => undefined,
    step: makeStep((name) => {
      stage = name;
    }),
    busy: inCode.busy,
  });
  let stuck: string | null = null;
  await world.act("main", async () => undefined);
  faults.arm();
  try {
    const { documents } = subject;
    for (const some of parts.reversed ? documents.toReversed().map((one) => [one]) : [documents]) {
      await world.accept(some);
      await world.drain();
    }
  } catch (error) {
    if (!(error instanceof Stuck)) throw error;
    stuck = error.message;
  }
  faults.disarm();
  await world.close();
  return { faults, ending: await readEnding(db), differences, runs, calls, stuck };
}

const codeMsMax = 60_000;

/**
 * Tracks running stage code: the drill's clock must stand still meanwhile, because the code waits for real things.
 */
function watchCode(clock: Clock) {
  const inside = new Set<{ readonly who: string; readonly since: number; readonly dead: () => boolean }>();
  let told = () => {};
  return {
    enter(who: string, dead: () => boolean): () => void {
      const entry = { who, since: clock.now().getTime(), dead };
      inside.add(entry);
      return () => {
        inside.delete(entry);
        told();
      };
    },
    busy(): Waiting | null {
      const oldest = [...inside].find((entry) => !entry.dead());
      if (!oldest) return null;
      let stop = () => {};
      const over = new Promise<void>((resolve, reject) => {
        const { who, since } = oldest;
        told = resolve;
        stop = clock.after(since + codeMsMax - clock.now().getTime(), () =>
          reject(new Stuck(`${who} has neither ended nor failed after ${codeMsMax / 1_000} seconds.`)),
        );
      });
      return { over, stop };
    },
  };
}
