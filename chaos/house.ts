import { openPostgres } from "../engine/src/databases/postgres.ts";
import { type Pipeline, pipeline } from "../engine/src/index.ts";
import { openOperator } from "../engine/src/operate.ts";
import { openFolderBlobs } from "../intake/src/folder-blobs.ts";
import { openCluster } from "../test/support/cluster.ts";
import { type Gate, openGate } from "../test/support/gate.ts";
import { makeConsensusParts } from "./archives.ts";
import type { BrokenName } from "./broken.ts";
import { openBrokerHouse } from "./broker.ts";
import { bundleWorker } from "./bundle.ts";
import { openDisk } from "./disk.ts";
import { startFeeder } from "./feeder.ts";
import { type FleetOptions, startFleet } from "./fleet.ts";
import { startOracle } from "./oracle.ts";
import { shop } from "./pipeline.ts";
import { stormConfig, stormWaits } from "./settings.ts";
import { openSource } from "./source.ts";
import { callWitness } from "./witness.ts";
import { gateOf, makeLog, type World } from "./world.ts";

export interface HouseOptions {
  readonly seed: number;
  readonly broker: boolean;
  readonly workers: number;
  /** So many tasks wait at a time: with few, every kill hits the same documents again. */
  readonly backlog: number;
  readonly broken: BrokenName | null;
  readonly tell: (line: string) => void;
}

/** The complete set-up, running, with its end. */
export interface House {
  readonly world: World;
  readonly pipelines: readonly Pipeline[];
  readonly consensus: ReturnType<typeof makeConsensusParts>;
  close(): Promise<void>;
}

export async function openHouse(options: HouseOptions): Promise<House> {
  const closing: (() => Promise<unknown>)[] = [];
  const keep = async <T extends { close(): Promise<unknown> }>(opening: Promise<T>): Promise<T> => {
    const opened = await opening;
    closing.push(() => opened.close());
    return opened;
  };
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one().catch(() => undefined);
  };
  try {
    return { ...(await furnish(options, keep)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Keep = <T extends { close(): Promise<unknown> }>(opening: Promise<T>) => Promise<T>;

async function furnish(options: HouseOptions, keep: Keep): Promise<Omit<House, "close">> {
  const { seed, tell, workers: size, backlog } = options;
  const { script } = await keep(bundleWorker());
  const cluster = await keep(openCluster());
  const disk = await keep(openDisk());
  if (!disk.small)
    tell("The disk for blobs cannot be filled here (that needs root): this fault is left out.");
  const oracle = await keep(startOracle());
  const gates = [await keep(openGate(cluster.url)), await keep(openGate(cluster.url))];
  const sourceGate = await keep(openGate(cluster.url));
  const direct = await keep(openPostgres({ url: cluster.url, applicationName: "chaos" }));
  const consensus = makeConsensusParts(null);
  const { stages, migrations } = consensus;
  const mail = pipeline("consensus", { stages, ...(migrations && { migrations }) });
  const pipelines = [shop, mail] as unknown as readonly Pipeline[];
  const broker = options.broker ? await keep(openBrokerHouse(pipelines)) : null;
  const through = await keep(openPostgres({ url: sourceGate.url, applicationName: "source" }));
  const source = await openSource(through, pipelines);
  await callWitness(direct);
  const operator = await openOperator({ database: direct, actor: "chaos", pipelines });
  await shortenWaits(
    operator,
    stages.map((one) => one.name),
  );
  const places = { gates, blobs: disk.folder, oracle: oracle.url, engine: broker?.engine ?? {} };
  const fleet = startFleet({ script, size, orderOf: orderer(options, places) });
  await keep(Promise.resolve({ close: fleet.stop }));
  const blobs = await openFolderBlobs(disk.folder);
  const feeder = startFeeder({ seed, source, operator, direct, blobs, backlog, tell });
  const smallDisk = disk.small ? disk.folder : null;
  const reach = { cluster, direct, operator, fleet, feeder, gates, sourceGate, oracle, smallDisk, broker };
  return { world: { ...reach, log: makeLog() }, pipelines, consensus };
}

function orderer(
  { broken }: HouseOptions,
  { gates, ...places }: { gates: readonly Gate[]; blobs: string; oracle: string; engine: object },
): FleetOptions["orderOf"] {
  return (place, name) => ({
    ...places,
    name,
    url: named(gateOf(gates, place).url, name),
    schema: "headway",
    broken,
    config: broken === "sweep-off" ? { ...stormConfig, sweepMs: 86_400_000 } : stormConfig,
  });
}

/** Names the session for the database. */
function named(url: string, name: string): string {
  const through = new URL(url);
  through.searchParams.set("application_name", name);
  return through.href;
}

/** Waits of minutes become seconds, because a storm lasts minutes; the number of attempts stays as shipped. */
async function shortenWaits(operator: World["operator"], stages: readonly string[]): Promise<void> {
  for (const stage of stages) {
    for (const kind of ["transient", "unknown", "not-found-yet"] as const)
      await operator.setPolicy({ stage, kind, change: stormWaits });
  }
}
