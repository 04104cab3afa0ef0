import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Beside } from "./brings.ts";
import { type Config, parseSettings, readConfig, type Variables } from "./config.ts";
import type { FolderHolder } from "./databases/folder-lock.ts";
import { observed } from "./databases/observed.ts";
import { type EmbeddedDatabase, openPglite } from "./databases/pglite.ts";
import { openPostgres } from "./databases/postgres.ts";
import { openRemote } from "./databases/remote.ts";
import { type Sharing, shareDatabase } from "./databases/share.ts";
import type { Emit, Signal } from "./decide/signal.ts";
import { DefinitionError } from "./define/definition-error.ts";
import type { CollectionsOf, Pipeline } from "./define/pipeline.ts";
import type { RetryPolicies } from "./define/retry.ts";
import { isRetryVariable, withRetryVariables } from "./define/retry-variables.ts";
import type { Stage } from "./define/stage.ts";
import type { Channel } from "./dispatch/alert-channel.ts";
import { openChannels } from "./dispatch/alert-channels.ts";
import { readTraceSettings, type TraceSettings } from "./dispatch/export-spans.ts";
import type { DatabaseOption, Engine, EngineOptions, Services } from "./engine-options.ts";
import { checkServices, lendToServices, makeServices, receiversOf, startBeside } from "./give-services.ts";
import { makeAccept } from "./run/accept.ts";
import { type Clock, sleep, systemClock } from "./run/clock.ts";
import { makeControls } from "./run/controls.ts";
import { hangDeathBell } from "./run/death-bell.ts";
import { describeStage, type Graph, joinPipelines, makeGraph } from "./run/graph.ts";
import { openNews } from "./run/news.ts";
import { outlast } from "./run/outlast.ts";
import { keepReadSide } from "./run/read-side.ts";
import { makeReaders } from "./run/readers.ts";
import { makeWorker, startWorker, type WorkerParts } from "./run/worker.ts";
import { countCores } from "./sandbox/cores.ts";
import { makeIsolates } from "./sandbox/isolate.ts";
import { lend } from "./store/borrowed-database.ts";
import type { Database } from "./store/database.ts";
import { migrate, migratePipelines } from "./store/migrate.ts";
import { makeNumbers } from "./store/numbers.ts";
import { register } from "./store/registry.ts";
import { countOpenTasks } from "./store/status.ts";
import { store } from "./store/store.ts";
import { serverTime } from "./store/workers.ts";
import { traceSignals } from "./trace-signals.ts";

export const migrationsFolder = fileURLToPath(new URL("../migrations/", import.meta.url));

/**
 * Starts the engine: opens and migrates the database, makes the pipelines known, begins to work.
 *
 * @example
 * import { collection, pipeline, stage, startEngine } from "@headway/engine";
 * import { z } from "zod";
 *
 * const letters = collection("letters", z.object({ text: z.string() }));
 * const keeping = stage("keeping", { reads: letters, writes: [], *run() {} });
 * const engine = await startEngine({
 *   pipelines: [pipeline("post", { stages: [keeping] })],
 *   services: {},
 *   database: { memory: true },
 * });
 * await engine.accept(letters.document("a", { text: "Dear Ann" }));
 * await engine.settled();
 * await engine.stop();
 */
export async function startEngine<const Pipelines extends readonly Pipeline[]>(
  options: EngineOptions<Pipelines>,
): Promise<Engine<CollectionsOf<Pipelines>>> {
  if (process.env.HEADWAY_ISOLATED) {
    throw new DefinitionError(
      "The module of an isolated stage starts an engine when it is imported; start the engine in another module.",
    );
  }
  const file = readSettingsFile(process.env.HEADWAY_CONFIG);
  const { config } = readConfig(options.config, process.env, file);
  const channels = openChannels(process.env);
  const traces = readTraceSettings(process.env);
  const joined = joinPipelines(options.pipelines);
  const { services } = options as { readonly services: Services<Readonly<Record<string, unknown>>> };
  checkServices(options.pipelines, services);
  const set = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ""));
  const seeded = (stage: Stage) => withRetryVariables(stage.retry, stage.reads.name, { ...file, ...set });
  // A bad value is refused now, not when the first document fails.
  for (const stage of joined.stages) seeded(stage);
  const database = await openDatabase(options.database, config);
  try {
    return await assemble({ options, config, channels, traces, joined, services, seeded, database });
  } catch (error) {
    await database.close().catch(() => undefined);
    throw error;
  }
}

/** The settings file that HEADWAY_CONFIG names, if any. */
export function readSettingsFile(place: string | undefined): Variables {
  if (!place) return {};
  let text: string;
  try {
    text = readFileSync(place, "utf8");
  } catch (error) {
    throw new DefinitionError(
      `HEADWAY_CONFIG names ${place}, which cannot be read: ${(error as Error).message}`,
    );
  }
  return parseSettings(text, place, isRetryVariable);
}

/**
 * Opens a database. An embedded database that another process has open is used through that process, if it lets others in.
 *
 * @example
 * import { openDatabase } from "@headway/engine/operate";
 *
 * export const openHere = () => openDatabase({ folder: ".headway" }, { poolMax: 4 });
 */
export async function openDatabase(
  option: DatabaseOption,
  config: Pick<Config, "poolMax">,
): Promise<Database> {
  const database = await openUnobserved(option, config);
  return option.onStatement ? observed(database, option.onStatement) : database;
}

async function openUnobserved(option: DatabaseOption, config: Pick<Config, "poolMax">): Promise<Database> {
  const schema = option.schema === undefined ? {} : { schema: option.schema };
  if ("url" in option) return await openPostgres({ url: option.url, poolMax: config.poolMax, ...schema });
  const folder = "folder" in option ? option.folder : null;
  try {
    return await openPglite({ folder, ...schema });
  } catch (error) {
    const { code, holder } = error as { code?: unknown; holder?: FolderHolder };
    const remote = code === "FOLDER_IN_USE" && folder && holder ? await openRemote(folder, holder) : null;
    if (!remote) throw error;
    return remote;
  }
}

interface Assembly {
  readonly options: EngineOptions;
  readonly config: Config;
  readonly channels: readonly Channel[];
  readonly traces: TraceSettings | null;
  readonly joined: ReturnType<typeof joinPipelines>;
  readonly services: Services<Readonly<Record<string, unknown>>>;
  readonly seeded: (stage: Stage) => RetryPolicies;
  readonly database: Database;
}

async function assemble(assembly: Assembly): Promise<Engine> {
  const { options, config, channels, joined, seeded, database: db } = assembly;
  const clock = systemClock();
  const { emit, onSignal } = makeEmitter(clock, options.onSignal);
  const { name = `worker-${process.pid}`, broker = null } = options;
  const spans = traceSignals(assembly.traces, { clock, emit, onSignal, worker: name });
  await migrateAll(db, options.pipelines);
  const { lent, end } = lendToServices(db, options);
  const services = await makeServices(options.pipelines, assembly.services, lent);
  // All workers go by the server's time, whatever their machines believe.
  const setClock = async () => {
    if (db.kind === "postgres") clock.adjust(await serverTime(db));
  };
  await setClock();
  const graph = await registerGraph(db, joined, clock);
  const controls = makeControls(db, emit, seeded);
  await controls.refresh();
  const stages = chosenStages(graph, options, db);
  const { receivers, started } = receiversOf(options, lent);
  const news = await openNews({ db, clock, graph, emit, controls, name, stages, broker, receivers });
  const { dispatch } = news;
  const [isolates, numbers, bell] = [isolatesOf(config), makeNumbers(), hangDeathBell(clock, emit)];
  const parts: WorkerParts = {
    db,
    store,
    clock,
    graph,
    numbers,
    controls,
    emit: bell.emit,
    bell,
    services,
    isolates,
    dispatch,
    stages,
    channels,
    setClock,
    settings: settingsOf(config, name, db),
  };
  const sharing = options.share ? await share(db, options.share) : null;
  const worker = await makeWorker(parts);
  const running = startWorker(worker, parts);
  news.tell(running, () => worker.onReap());
  const wake = (owing: readonly number[], tasks?: number) => {
    running.wake(owing);
    dispatch.announce(owing, tasks);
  };
  let beside: Beside = noneBeside;
  const engine: Engine = {
    accept: makeAccept({ ...parts, wake, reserve: running.reserve, traceparent: process.env.TRACEPARENT }),
    ...makeReaders(db, (name) => graph.collection(name).number),
    settled: (given) => settled({ db, clock, onSignal, graph }, given),
    sweep: worker.sweep,
    onSignal,
    database: lend(db),
    sharing,
    async stop() {
      await beside.stop();
      news.stop();
      await running.stop();
      await spans?.close();
      await sharing?.close();
      await isolates.close();
      await dispatch.close();
      await db.close();
      await end();
    },
  };
  started(engine);
  beside = await startBeside(options.pipelines, engine, { lent, works: stages.size > 0 });
  return engine;
}

const isolatesOf = ({ cores }: Config) => makeIsolates({ processesMax: countCores(cores).used });

const settingsOf = (config: Config, name: string, db: Database): WorkerParts["settings"] => {
  const alone = db.kind === "pglite" && !isRemote(db);
  return { ...config, name, inPlace: true, gatherMs: 20, runAhead: true, alone };
};

const noneBeside: Beside = { stop: async () => undefined };

const isRemote = (db: Database): boolean => "remote" in db;

const share = async (db: Database, how: true | { port: number; host?: string }): Promise<Sharing | null> =>
  "lock" in db ? await shareDatabase(db as EmbeddedDatabase, how === true ? {} : how) : null;

/** The engine's own tables, then those that pipelines bring. */
export async function migrateAll(db: Database, pipelines: readonly Pick<Pipeline, "name" | "migrations">[]) {
  await migrate(db, migrationsFolder);
  await migratePipelines(db, pipelines);
}

export async function registerGraph(
  db: Database,
  joined: ReturnType<typeof joinPipelines>,
  clock: Clock,
): Promise<Graph> {
  const registered = await register(db, {
    collections: joined.collections.map((one) => one.name),
    stages: joined.stages.map(describeStage),
    owned: joined.owned,
    now: clock.now(),
  });
  await keepReadSide(db, [...registered.collections.keys()], clock);
  return makeGraph(joined, registered);
}

function chosenStages(graph: Graph, { stages, work }: EngineOptions, db: Database): ReadonlySet<number> {
  // The process that has the database open does the work.
  if (work === false || isRemote(db)) return new Set();
  return new Set(
    stages ? stages.map((name) => graph.stage(name).number) : graph.stages.map((plan) => plan.number),
  );
}

/** Signals to whoever listens; a listener that throws harms nobody but itself. */
export function makeEmitter(
  clock: Clock,
  first?: (signal: Signal) => void,
): { emit: Emit; onSignal: Engine["onSignal"] } {
  const listeners = new Set<(signal: Signal) => void>(first ? [first] : []);
  return {
    emit(body) {
      if (listeners.size === 0) return;
      const signal = { at: clock.now(), ...body } as Signal;
      for (const heard of listeners) {
        try {
          heard(signal);
        } catch {
          // What is watched must not depend on who watches.
        }
      }
    },
    onSignal(heard) {
      listeners.add(heard);
      return () => listeners.delete(heard);
    },
  };
}

const lookAgainMs = 250;

/** Looks whenever something may have ended, and now and then in case somebody else ended it. */
async function settled(
  { db, clock, onSignal, graph }: { db: Database; clock: Clock; onSignal: Engine["onSignal"]; graph: Graph },
  { signal, stages: named }: NonNullable<Parameters<Engine["settled"]>[0]> = {},
): Promise<void> {
  const stages = named?.map((one) => graph.stage(one).number) ?? null;
  while (!signal?.aborted) {
    const open = await outlast(() => countOpenTasks(db, stages), { clock, signal });
    if (open === 0) return;
    const news = new AbortController();
    const stop = onSignal(({ kind }) => kind.startsWith("task.") && open <= 1_000 && news.abort("a task"));
    await sleep(clock, lookAgainMs, news.signal);
    stop();
  }
  throw signal?.reason;
}
