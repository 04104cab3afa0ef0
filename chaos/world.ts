import type { Operator } from "../engine/src/operate.ts";
import type { Database } from "../engine/src/store/database.ts";
import type { Cluster } from "../test/support/cluster.ts";
import type { Gate } from "../test/support/gate.ts";
import type { BrokerHouse } from "./broker.ts";
import type { Feeder } from "./feeder.ts";
import type { Fleet, Living } from "./fleet.ts";
import type { OracleServer } from "./oracle.ts";

/** A time in which nobody could have taken over, and why; of one stage, or of all. */
export interface Excuse {
  readonly from: number;
  to: number;
  readonly stage: string | null;
  readonly why: string;
}

/** Everything that a storm can reach. */
export interface World {
  readonly cluster: Cluster;
  /** Past every gate. */
  readonly direct: Database;
  readonly operator: Operator;
  readonly fleet: Fleet;
  readonly feeder: Feeder;
  /** Each of the workers is behind one of these. */
  readonly gates: readonly Gate[];
  readonly sourceGate: Gate;
  readonly oracle: OracleServer;
  /** Null: blobs lie on a disk that cannot be filled here. */
  readonly smallDisk: string | null;
  readonly broker: BrokerHouse | null;
  readonly log: StormLog;
}

/** What happened, as the storm itself knows it. */
export interface StormLog {
  /** How often each kind of strike hit, and each hard situation was met. */
  readonly met: Map<string, number>;
  readonly excuses: Excuse[];
  /** Every strike that hit, and when. */
  readonly struck: { readonly kind: string; readonly at: number }[];
  /** Frozen until they were evicted, then woken. */
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

/** Does something for a while, in which nobody is expected to take anything over. */
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

/** Writes down when there is nobody who could take over: all are dead, starting, frozen, or cut off from the database. */
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

/** The one that a worker is behind. */
export const gateOf = (gates: readonly Gate[], place: number): Gate => gates[place % gates.length] as Gate;

/** Workers that have joined and are awake. */
export const awake = ({ fleet }: Pick<World, "fleet">): Living[] =>
  fleet.living.filter((one) => one.ready && !one.frozen);

/**
 * One of them, by lot. Null while fewer than half are there: on a slow machine processes take long to start, and who is
 * killed before he works proves nothing.
 */
export function victim(world: Pick<World, "fleet">, lot: number): Living | null {
  const there = awake(world);
  if (there.length * 2 < world.fleet.size) return null;
  return there[Math.floor(lot * there.length)] ?? null;
}
