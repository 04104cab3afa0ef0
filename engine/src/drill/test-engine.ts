import { knobs } from "../config.ts";
import { openPglite } from "../databases/pglite.ts";
import type { Signal } from "../decide/signal.ts";
import type { AnyCollection, DocumentOf, DraftOf } from "../define/collection.ts";
import type { CollectionsOf, NeedsOf, Pipeline } from "../define/pipeline.ts";
import type { ServicesOf } from "../define/service.ts";
import type { Channel } from "../dispatch/alert-channel.ts";
import type { Dispatch } from "../dispatch/dispatch.ts";
import { makeEmitter, migrateAll, registerGraph } from "../engine.ts";
import { type Accepted, type AcceptOptions, makeAccept } from "../run/accept.ts";
import { byPriority } from "../run/by-priority.ts";
import { makeControls } from "../run/controls.ts";
import { type Graph, joinPipelines } from "../run/graph.ts";
import { makeReaders } from "../run/readers.ts";
import type { Swept } from "../run/sweep.ts";
import { type VirtualClock, virtualClock } from "../run/virtual-clock.ts";
import { makeWorker, type Worker, type WorkerSettings } from "../run/worker.ts";
import { makeIsolates } from "../sandbox/isolate.ts";
import type { Database } from "../store/database.ts";
import { readDependencies } from "../store/dependencies.ts";
import { makeNumbers } from "../store/numbers.ts";
import type { OutboxRow } from "../store/outbox.ts";
import { store as realStore, type Store } from "../store/store.ts";
import { earliestReadyAt } from "../store/tasks.ts";

/** Pipelines and services of an engine for tests. */
export interface TestEngineOptions<Pipelines extends readonly Pipeline[] = readonly Pipeline[]> {
  /** The pipelines to run. */
  readonly pipelines: Pipelines;
  /** A conditional type, so that the compiler infers the pipelines first. */
  readonly services: Pipelines extends readonly Pipeline[] ? ServicesOf<NeedsOf<Pipelines>> : never;
  /** A database that is already open, e.g. shared by several engines; by default a new one in memory. */
  readonly database?: Database;
  /** A clock to share; by default a new one. */
  readonly clock?: VirtualClock;
  /** Settings of the worker that differ from the defaults. */
  readonly settings?: Partial<WorkerSettings>;
  /** Stands in for parts of the store: how broken engines are built to see whether anybody notices. */
  readonly store?: Partial<Store>;
  /** Only these stages run; by default all. */
  readonly stages?: readonly string[];
  /** Channels of alerts. */
  readonly channels?: readonly Channel[];
}

/** An engine that moves only when told to: no timers, no waiting, the same run every time. */
export interface TestEngine<Holds extends AnyCollection = AnyCollection> {
  readonly database: Database;
  readonly clock: VirtualClock;
  readonly graph: Graph;
  readonly worker: Worker;
  readonly signals: readonly Signal[];
  readonly events: readonly OutboxRow[];
  accept(drafts: DraftOf<Holds> | readonly DraftOf<Holds>[], options?: AcceptOptions): Promise<Accepted>;
  read<C extends Holds>(collection: C, id: string): Promise<DocumentOf<C> | null>;
  all<C extends Holds>(collection: C): Promise<DocumentOf<C>[]>;
  /** Claims, works and commits once at every stage; false: nothing was due. */
  step(): Promise<boolean>;
  /** Works until nothing is left that time alone would bring on, moving the clock to whatever comes next. */
  drain(options?: { advance?: boolean; roundsMax?: number }): Promise<void>;
  sweep(options?: { dryRun?: boolean }): Promise<Swept>;
  /** Reads policies, pauses and breakers again, as a running engine does every few seconds. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens an engine on a stopped clock, by default with a new database in memory: the same run every time.
 *
 * @example
 * import { collection, pipeline, stage } from "@headway/engine";
 * import { openTestEngine } from "@headway/engine/testing";
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
 * export async function countOnce(): Promise<number> {
 *   const engine = await openTestEngine({ pipelines: [pipeline("words", { stages: [counting] })], services: {} });
 *   await engine.accept(texts.document("a", { text: "to be" }));
 *   await engine.drain();
 *   const found = await engine.read(counts, "a");
 *   await engine.close();
 *   return found?.words ?? 0;
 * }
 */
export async function openTestEngine<const Pipelines extends readonly Pipeline[]>(
  options: TestEngineOptions<Pipelines>,
): Promise<TestEngine<CollectionsOf<Pipelines>>> {
  const clock = options.clock ?? virtualClock();
  const db = options.database ?? (await openPglite({ folder: null, inline: true }));
  await migrateAll(db, options.pipelines);
  const signals: Signal[] = [];
  const events: OutboxRow[] = [];
  const { emit } = makeEmitter(clock, (signal) => signals.push(signal));
  const graph = await registerGraph(db, joinPipelines(options.pipelines), clock);
  const controls = makeControls(db, emit);
  await controls.refresh();
  const store = { ...realStore, ...options.store };
  const numbers = makeNumbers();
  const isolates = makeIsolates();
  const services = options.services as Readonly<Record<string, unknown>>;
  const stages = new Set(
    (options.stages ?? graph.stages.map((plan) => plan.stage.name)).map((name) => graph.stage(name).number),
  );
  const alone = options.database === undefined;
  const settings = { ...defaultSettings(), alone, ...options.settings };
  const dispatch = silentDispatch(events);
  const worker = await makeWorker({
    db,
    store,
    clock,
    graph,
    numbers,
    controls,
    emit,
    services,
    isolates,
    dispatch,
    stages,
    channels: options.channels ?? [],
    settings,
  });
  const { read, documents } = makeReaders(db, (name) => graph.collection(name).number);

  let owed = false;
  async function step(): Promise<boolean> {
    await controls.refresh();
    if (!owed) await worker.owe();
    owed = true;
    let moved = false;
    for (const lane of byPriority(worker.lanes, controls)) {
      const claim = await lane.take();
      if (claim) await lane.process(claim);
      moved ||= claim !== null;
    }
    return (await worker.reap()) > 0 || (await worker.relay()) > 0 || moved;
  }
  return {
    database: db,
    clock,
    graph,
    worker,
    signals,
    events,
    read,
    step,
    accept: makeAccept({ db, store, clock, graph, numbers, emit, wake: () => undefined }),
    async all(collection) {
      const found = [];
      for await (const document of documents(collection)) found.push(document);
      return found;
    },
    drain: (given) => drain(db, clock, step, given),
    sweep: worker.sweep,
    refresh: controls.refresh,
    async close() {
      await isolates.close();
      if (options.database === undefined) await db.close();
    },
  };
}

/** As they are by default, but for what would make the time of a test pass by itself. */
function defaultSettings(): Omit<WorkerSettings, "alone"> {
  const values = Object.fromEntries(Object.entries(knobs).map(([name, knob]) => [name, knob.value]));
  return {
    ...(values as unknown as WorkerSettings),
    name: "test",
    inPlace: false,
    gatherMs: 0,
    runAhead: false,
  };
}

const silentDispatch = (events: OutboxRow[]): Dispatch => ({
  announce: () => undefined,
  announceControls: () => undefined,
  publish: async (published) => void events.push(...published),
  close: async () => undefined,
});

async function drain(
  db: Database,
  clock: VirtualClock,
  step: () => Promise<boolean>,
  { advance = true, roundsMax = 10_000 }: { advance?: boolean; roundsMax?: number } = {},
): Promise<void> {
  for (let round = 0; round < roundsMax; round++) {
    if (await step()) continue;
    const next = await nextMoment(db, clock.now());
    if (!next || !advance) return;
    clock.advanceTo(next);
  }
  throw new Error(`The engine was still busy after ${roundsMax} rounds: something goes round in circles.`);
}

/** When something can happen that cannot happen now: a task becomes due, or a dependency may be tried again. */
export async function nextMoment(db: Database, now: Date): Promise<Date | null> {
  const down = (await readDependencies(db)).filter((one) => one.open).map((one) => one.probeAt);
  const ready = await earliestReadyAt(db, now);
  const ahead = [...down, ...(ready ? [ready] : [])].filter((moment) => moment > now);
  return ahead.sort((a, b) => a.getTime() - b.getTime())[0] ?? null;
}
