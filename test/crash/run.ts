import { type Faults, type Planned, planFaults } from "../../engine/src/drill/faulty-database.ts";
import { makeWorld, Stuck } from "../../engine/src/drill/world.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { composeEmptying } from "../../engine/src/store/emptying.ts";
import { readSchemaOf } from "../../engine/src/store/read-views.ts";
import type { Store } from "../../engine/src/store/store.ts";
import type { Sometimes } from "../support/sometimes.ts";
import {
  checkAlways,
  checkSettled,
  compare,
  compareVisible,
  readVisible,
  type Snapshot,
  takeSnapshot,
  type Violation,
} from "./checker.ts";
import type { Scenario } from "./scenarios.ts";
import { noticeMoment, noticeRun } from "./sometimes.ts";

/** Result of one run of a scenario. */
export interface Ran {
  readonly faults: Faults;
  readonly snapshot: Snapshot;
  readonly violations: readonly Violation[];
}

export interface RunParts {
  readonly real: Database;
  readonly scenario: Scenario;
  readonly plan: readonly Planned[];
  /** Ending of the fault-free run; null: this is the fault-free run. */
  readonly reference: Snapshot | null;
  readonly sometimes: Sometimes;
  readonly store?: Partial<Store>;
}

/** Plays a scenario with faults at the planned calls, then checks every promise. */
export async function play({ real, scenario, plan, reference, sometimes, store }: RunParts): Promise<Ran> {
  await reset(real, scenario);
  const faults = planFaults(plan);
  const violations: Violation[] = [];
  const moments: { before: ReadonlySet<string>; during: ReadonlySet<string> }[] = [];
  const { services = {}, run } = scenario.make();
  let before: ReadonlySet<string> = new Set();
  let looking = true;
  const onDeath = async () => {
    if (!looking) return;
    violations.push(...(await checkAlways(real)));
    moments.push({ before, during: await readVisible(real) });
    await noticeMoment(real, sometimes);
  };
  const world = makeWorld({
    real,
    faults,
    services,
    pipelines: scenario.pipelines,
    onDeath,
    ...(scenario.settings && { settings: scenario.settings }),
    ...(scenario.many && { many: true }),
    ...(store && { store }),
  });
  const watched = {
    ...world,
    get crashes() {
      return world.crashes;
    },
    async accept(...given: Parameters<typeof world.accept>) {
      before = await readVisible(real);
      await world.accept(...given);
    },
  };
  if (!scenario.fromStart) {
    await world.act("main", async () => undefined);
    if (scenario.many) await world.act("other", async () => undefined);
  }
  faults.arm();
  try {
    await run(watched, {
      lookAway: () => {
        looking = false;
      },
      look: () => {
        looking = true;
      },
      sometimes: (what) => sometimes.add(what),
    });
    faults.disarm();
    violations.push(...(await checkSettled(real)));
  } catch (error) {
    faults.disarm();
    const story = error instanceof Stuck ? error.message : `${error instanceof Error ? error.stack : error}`;
    violations.push({ promise: "the engine goes on by itself", story });
  }
  await world.close();
  const snapshot = await takeSnapshot(real, world.events);
  noticeRun(world, faults, sometimes);
  violations.push(...compareVisible(moments, await readVisible(real)));
  const { faultsMax = 0, superseding = false } = scenario;
  const leeway = { crashes: world.crashes, faultsMax, superseding };
  if (reference) violations.push(...compare(snapshot, reference, leeway));
  else violations.push(...checkEnding(snapshot, scenario));
  return { faults, snapshot, violations };
}

/** Checks the fault-free run against the scenario's expected ending, before use as a reference. */
function checkEnding(snapshot: Snapshot, { ending }: Scenario): Violation[] {
  return Object.entries(ending).flatMap(([kind, expected]) => {
    const found = snapshot.lines.filter((line) => line.startsWith(`${kind} `));
    if (found.length === expected) return [];
    const story = `${found.length} of kind ${kind} instead of ${expected}:\n${found.join("\n")}`;
    return [{ promise: "without faults the story ends as told", story }];
  });
}

let emptying: string | null = null;

/** Empties the database, faster than creating a new one. */
async function reset(real: Database, { fromStart }: Scenario): Promise<void> {
  emptying ??= await composeEmptying(real);
  await real.script(emptying);
  // Views go by name and stay otherwise: the first start makes them, and the next ones would be shorter.
  if (fromStart) await real.script(`drop schema if exists "${readSchemaOf(real)}" cascade`);
}
