import { openPglite } from "../../engine/src/databases/pglite.ts";
import type { Call, FaultKind, Faults, Planned } from "../../engine/src/drill/faulty-database.ts";
import { pointsOf } from "../../engine/src/drill/points.ts";
import { migrateAll } from "../../engine/src/engine.ts";
import type { Database } from "../../engine/src/store/database.ts";
import type { Sometimes } from "../support/sometimes.ts";
import type { Violation } from "./checker.ts";
import { play } from "./run.ts";
import type { Scenario } from "./scenarios.ts";
import type { Variant } from "./variants.ts";

/** A broken promise, with everything needed to reproduce it. */
export interface Finding extends Violation {
  readonly scenario: string;
  readonly plan: readonly Planned[];
  readonly at: string;
  readonly seed: number;
}

export interface Swept {
  readonly scenario: string;
  readonly calls: number;
  /** Distinct combinations of place and fault tried. */
  readonly points: number;
  readonly runs: number;
  readonly pairs: number;
  /** Planned faults never reached, because the run was shorter than the fault-free run. */
  readonly unreached: number;
  readonly findings: readonly Finding[];
  readonly ms: number;
}

export interface SweepOptions {
  readonly real: Database;
  readonly sometimes: Sometimes;
  readonly seed: number;
  /** Limit of points per scenario, drawn by the seed; null: all points. */
  readonly pointsMax: number | null;
  readonly pairs: number;
  readonly tell?: (progress: string) => void;
}

export async function openSweepDatabase(scenarios: readonly Scenario[]): Promise<Database> {
  const real = await openPglite({ folder: null, inline: true });
  await migrateAll(
    real,
    scenarios.flatMap(({ pipelines }) => pipelines),
  );
  return real;
}

/** Plays a scenario once for every possible interruption. */
export async function sweepScenario(scenario: Scenario, options: SweepOptions): Promise<Swept> {
  const { real, sometimes, seed } = options;
  const startedAt = performance.now();
  const findings: Finding[] = [];
  const reference = await play({ real, scenario, plan: [], reference: null, sometimes });
  const note = (plan: readonly Planned[], at: string, violations: readonly Violation[]) =>
    findings.push(...violations.map((one) => ({ ...one, scenario: scenario.name, plan, at, seed })));
  note([], "no fault at all", reference.violations);
  const every = pointsOf(reference.faults.calls);
  const points = options.pointsMax === null ? every : draw(every, options.pointsMax, makeRandom(seed));
  const plans = [...points.map((one) => [one]), ...pairsOf(points, options)];
  let unreached = 0;
  for (const [index, plan] of plans.entries()) {
    const run = { real, scenario, plan, reference: reference.snapshot, sometimes };
    const { faults, violations } = await play(run);
    if (faults.fired.length === 0) unreached += 1;
    note(plan, describeFired(faults.fired), violations);
    if (index % 25 === 24) options.tell?.(`${scenario.name}: ${index + 1} of ${plans.length} runs`);
  }
  return {
    scenario: scenario.name,
    calls: reference.faults.calls.length,
    points: points.length,
    runs: plans.length,
    pairs: plans.length - points.length,
    unreached,
    findings,
    ms: Math.round(performance.now() - startedAt),
  };
}

const describeFired = (fired: Faults["fired"]): string =>
  fired.length === 0
    ? "no fault at all"
    : fired
        .map(({ kind, call }) => `${kind} call ${call.number} (${call.what}: ${call.text})`)
        .join(", then ");

/** A random sample, in original order. */
function draw<T>(all: readonly T[], most: number, random: () => number): T[] {
  const drawn = all.map((one, place) => ({ one, place, lot: random() })).sort((a, b) => a.lot - b.lot);
  return drawn
    .slice(0, most)
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}

const recoveryCalls = 90;

/** A second fault during the recovery from the first, at places drawn by the seed. */
function pairsOf(points: readonly Planned[], { pairs, seed }: SweepOptions): Planned[][] {
  const random = makeRandom(seed);
  const kinds: FaultKind[] = ["crash before", "crash after", "cut before", "cut after"];
  return Array.from({ length: pairs }, () => [
    points[Math.floor(random() * points.length)] as Planned,
    { at: 1 + Math.floor(random() * recoveryCalls), kind: kinds[Math.floor(random() * 4)] as FaultKind },
  ]);
}

/** Mulberry32. */
export function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface Caught {
  readonly variant: string;
  /** The first broken promise, which ended the search; null: undetected. */
  readonly finding: Finding | null;
  readonly runs: number;
}

/** Searches for a broken promise of an engine broken on purpose. */
export async function sweepVariant(
  { name, store }: Variant,
  scenarios: readonly Scenario[],
  { real, sometimes, seed }: Pick<SweepOptions, "real" | "sometimes" | "seed">,
): Promise<Caught> {
  let runs = 0;
  for (const scenario of scenarios) {
    const honest = await play({ real, scenario, plan: [], reference: null, sometimes });
    // A broken engine is most likely detected right after an effect.
    const crashes = (calls: readonly Call[]) =>
      ["crash after", "crash before"].flatMap((kind) => pointsOf(calls).filter((one) => one.kind === kind));
    let plans: Planned[][] = [[]];
    for (let index = 0; index < plans.length; index++) {
      runs += 1;
      const plan = plans[index] as Planned[];
      const ran = await play({ real, scenario, plan, reference: honest.snapshot, sometimes, store });
      // The calls of the broken engine differ from the honest engine's.
      if (index === 0) plans = [[], ...crashes(ran.faults.calls).map((one) => [one])];
      const first = ran.violations[0];
      if (!first) continue;
      const at = describeFired(ran.faults.fired);
      return { variant: name, runs, finding: { ...first, scenario: scenario.name, plan, at, seed } };
    }
  }
  return { variant: name, finding: null, runs };
}
