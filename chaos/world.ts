import type { Operator } from "../engine/src/operate.ts";
import type { Database } from "../engine/src/store/database.ts";
import type { Cluster } from "../test/support/cluster.ts";
import type { Gate } from "../test/support/gate.ts";
import type { BrokerHouse } from "./broker.ts";
import type { Feeder } from "./feeder.ts";
import type { Fleet, Living } from "./fleet.ts";
import type { OracleServer } from "./oracle.ts";

/** An interval without a possible takeover, with the reason; of one stage, or of all. */
export interface Excuse {
  readonly from: number;
  to: number;
  readonly stage: string | null;
  readonly why: string;
}

/** Everything within reach of a storm. */
export interface World {
  readonly cluster: Cluster;
  /** Bypasses all gates. */
  readonly direct: Database;
  readonly operator: Operator;
  readonly fleet: Fleet;
  readonly feeder: Feeder;
  /** Each worker connects through one of these. */
  readonly gates: readonly Gate[];
  readonly sourceGate: Gate;
  readonly oracle: OracleServer;
  /** Null: the blobs' disk cannot be filled here. */
  readonly smallDisk: string | null;
  readonly broker: BrokerHouse | null;
  readonly log: StormLog;
}

/** The storm's own record. */
export interface StormLog {
  /** Counts of strikes and hard situations. */
  readonly met: Map<string, number>;
  readonly excuses: Excuse[];
  /** Every strike that hit, with its time. */
  readonly struck: { readonly kind: string; readonly at: number }[];
  /** Workers frozen until their eviction, then woken. */
  zombies: number;
  databaseRestarts: number;
  brokerRestarts: number;
}

export const makeLog = (): StormLog => ({
  met: new Map(),
  excuses: [],
  struck: [],
  zombies: 0,
  databaseRestarts: 0,
  brokerRestarts: 0,
});

export function meet({ log }: { log: StormLog }, what: string, times = 1): void {
  log.met.set(what, (log.met.get(what) ?? 0) + times);
}

/** Runs `act` as an interval without an expected takeover. */
export async function excused<T>(
  { log }: { log: StormLog },
  why: string,
  stage: string | null,
  act: () => Promise<T>,
): Promise<T> {
  const excuse: Excuse = { from: Date.now(), to: Number.POSITIVE_INFINITY, stage, why };
  log.excuses.push(excuse);
  try {
    return await act();
  } finally {
    excuse.to = Date.now();
  }
}

const lookMs = 25;

/** Records the intervals without any able worker: all dead, starting, frozen, or cut off from the database. */
export function excuseAbsence(world: Pick<World, "fleet" | "gates" | "log">): () => void {
  let absence: Excuse | null = null;
  const look = () => {
    const someone = awake(world).some(({ place }) => !gateOf(world.gates, place).swallowing);
    if (someone && absence) absence.to = Date.now();
    if (someone) absence = null;
    else if (!absence) {
      absence = { from: Date.now(), to: Number.POSITIVE_INFINITY, stage: null, why: "nobody is there" };
      world.log.excuses.push(absence);
    }
  };
  const looking = setInterval(look, lookMs);
  return () => {
    clearInterval(looking);
    if (absence) absence.to = Date.now();
  };
}

/** The gate of a worker. */
export const gateOf = (gates: readonly Gate[], place: number): Gate => gates[place % gates.length] as Gate;

/** Workers that have joined and are awake. */
export const awake = ({ fleet }: Pick<World, "fleet">): Living[] =>
  fleet.living.filter((one) => one.ready && !one.frozen);

/**
 * A random worker. Null while fewer than half are awake: on a slow machine processes start slowly, and killing a
 * worker before its first task proves nothing.
 */
export function victim(world: Pick<World, "fleet">, lot: number): Living | null {
  const there = awake(world);
  if (there.length * 2 < world.fleet.size) return null;
  return there[Math.floor(lot * there.length)] ?? null;
}
