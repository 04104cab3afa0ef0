import type { Signal } from "../decide/signal.ts";
import type { DocumentDraft } from "../define/collection.ts";
import type { Pipeline } from "../define/pipeline.ts";
import type { AcceptOptions } from "../run/accept.ts";
import type { Lane } from "../run/lane.ts";
import { type VirtualClock, virtualClock } from "../run/virtual-clock.ts";
import type { Worker, WorkerSettings } from "../run/worker.ts";
import type { Claim } from "../store/claims.ts";
import { type Database, isConnectionError } from "../store/database.ts";
import type { OutboxRow } from "../store/outbox.ts";
import type { Store } from "../store/store.ts";
import { type Faults, type FaultyDatabase, faultyDatabase } from "./faulty-database.ts";
import { nextMoment, openTestEngine, type TestEngine } from "./test-engine.ts";

/** A process that runs an engine, as long as it lives. */
interface Living {
  readonly name: string;
  readonly engine: TestEngine;
  readonly faulty: FaultyDatabase;
}

/** Something a process was told to do, under way. */
export interface Doing<T> {
  readonly living: Living;
  readonly promise: Promise<T>;
}

export interface WorldParts {
  readonly real: Database;
  readonly faults: Faults;
  /** May be made for each process that is started. */
  readonly pipelines: readonly Pipeline[] | ((process: FaultyDatabase) => readonly Pipeline[]);
  readonly services: Readonly<Record<string, unknown>>;
  readonly settings?: Partial<WorkerSettings>;
  readonly store?: Partial<Store>;
  /** Several workers: a dead one is noticed by the others, not by its own restart. */
  readonly many?: boolean;
  /** Called whenever a process has died, before anybody does anything about it. */
  readonly onDeath: () => Promise<void>;
  /** How `drain` moves an engine on; see `makeStep`. */
  readonly step?: (engine: TestEngine) => Promise<boolean>;
  /** Says whether something runs that time of ours must not pass for, such as a call to a real service. */
  readonly busy?: () => Waiting | null;
}

/** Waiting for something outside. */
export interface Waiting {
  /** It has come, or something else has. */
  readonly over: Promise<void>;
  stop(): void;
}

/** Where a scenario takes place: processes that may die at any call and are started again, and time that is moved by hand. */
export interface World {
  readonly clock: VirtualClock;
  readonly real: Database;
  readonly events: readonly OutboxRow[];
  readonly signals: readonly Signal[];
  /** Processes that died, and connections that were cut. */
  readonly crashes: number;
  /** Does something in a process, again and again until it is answered: as a client or a supervisor would. */
  act<T>(name: string, action: (engine: TestEngine) => Promise<T>): Promise<T>;
  /** Begins to do something in a process that is started if need be; `join` waits for it. */
  begin<T>(name: string, action: (engine: TestEngine) => Promise<T>): Promise<Doing<T>>;
  /** Null: it died or its connection was cut meanwhile. */
  join<T>(doing: Doing<T>): Promise<T | null>;
  /** Lets everything that runs go as far as it can without time passing. */
  rest(): Promise<void>;
  accept(drafts: DocumentDraft | readonly DocumentDraft[], options?: AcceptOptions): Promise<void>;
  /** Works until nothing is left that time would bring on (of that, only what comes within `forMs`), also by outwaiting the dead. */
  drain(options?: { names?: readonly string[]; forMs?: number }): Promise<void>;
  close(): Promise<void>;
}

export class Stuck extends Error {}

const triesMax = 25;
const roundsMax = 400;
const silenceMs = 20_000;

export function makeWorld(parts: WorldParts): World {
  const { real, faults } = parts;
  const clock = virtualClock();
  const living = new Map<string, Living>();
  const events: OutboxRow[] = [];
  const signals: Signal[] = [];
  let crashes = 0;

  async function enter(name: string): Promise<Living | null> {
    const there = living.get(name);
    if (there) return there;
    const faulty = faultyDatabase(real, faults);
    const opening = openTestEngine({
      pipelines: typeof parts.pipelines === "function" ? parts.pipelines(faulty) : parts.pipelines,
      services: parts.services as never,
      database: faulty.database,
      clock,
      settings: { name, alone: !parts.many, silenceMs, ...parts.settings },
      ...(parts.store && { store: parts.store }),
    });
    // Opening reads migrations from files: while it waits for them no time must pass.
    const opened = await finish(faulty, opening, 0);
    if (opened.kind === "answered") {
      const born = { name, engine: opened.value, faulty };
      living.set(name, born);
      return born;
    }
    crashes += 1;
    await faulty.idle();
    if (opened.kind === "failed" && !isConnectionError(opened.error)) throw opened.error;
    await parts.onDeath();
    return null;
  }

  type Ended<T> = { kind: "answered"; value: T } | { kind: "failed"; error: unknown } | { kind: "crashed" };

  /** Waits for an answer, or for the process to die. When everybody only waits, time passes. */
  async function finish<T>(faulty: FaultyDatabase, promise: Promise<T>, passMs = 100): Promise<Ended<T>> {
    let ended: Ended<T> | null = null;
    const settled = promise.then(
      (value) => {
        ended = { kind: "answered", value };
      },
      (error) => {
        ended = { kind: "failed", error };
      },
    );
    let idle = 0;
    for (let waited = 0; !ended && !faulty.dead; ) {
      await turn();
      const busy = parts.busy?.();
      if (busy) await Promise.race([busy.over, settled, faulty.death]).finally(busy.stop);
      idle = faulty.inFlight > 0 || passMs === 0 || busy ? 0 : idle + 1;
      if (idle < idleTurns) continue;
      idle = 0;
      waited += 1;
      if (waited > 500) throw new Stuck("A process neither answers nor dies, however long one waits.");
      clock.advance(passMs);
    }
    return faulty.dead ? { kind: "crashed" } : (ended as unknown as Ended<T>);
  }

  async function bury(one: Living): Promise<void> {
    if (living.get(one.name) !== one) return;
    living.delete(one.name);
    crashes += 1;
    await one.faulty.idle();
    collect(one);
    await parts.onDeath();
    if (!parts.many) return;
    // Nobody restarts it here: the others notice that its heart has stopped.
    clock.advance(silenceMs + 1);
    await watch([...living.keys()]);
  }
  function collect({ engine }: Living): void {
    events.push(...engine.events);
    signals.push(...engine.signals);
  }
  /** A pump that could not ask asks again later, after a heartbeat; so do clients and loops. See `startWorker`. */
  async function recover(one: Living): Promise<void> {
    crashes += 1;
    clock.advance(1_000);
    await act(one.name, (engine) => engine.worker.membership.beat());
  }

  async function act<T>(name: string, action: (engine: TestEngine) => Promise<T>): Promise<T> {
    let last: unknown;
    for (let tries = 1; tries <= triesMax; tries++) {
      const one = await enter(name);
      if (!one) continue;
      const ended = await finish(one.faulty, action(one.engine));
      if (ended.kind === "answered") return ended.value;
      if (ended.kind === "crashed") await bury(one);
      else {
        last = ended.error;
        await recover(one);
      }
    }
    throw new Stuck(`The process "${name}" fails however often it is tried: ${String(last)}`);
  }
  async function begin<T>(name: string, action: (engine: TestEngine) => Promise<T>): Promise<Doing<T>> {
    const one = await act(name, async () => living.get(name) as Living);
    const promise = action(one.engine);
    promise.catch(() => undefined);
    return { living: one, promise };
  }
  async function join<T>({ living: one, promise }: Doing<T>): Promise<T | null> {
    const ended = await finish(one.faulty, promise);
    if (ended.kind === "answered") return ended.value;
    if (ended.kind === "crashed") await bury(one);
    else await recover(one);
    return null;
  }
  async function rest(): Promise<void> {
    for (let idle = 0; idle < idleTurns; ) {
      await turn();
      idle = [...living.values()].some((one) => !one.faulty.dead && one.faulty.inFlight > 0) ? 0 : idle + 1;
    }
    for (const one of [...living.values()]) if (one.faulty.dead) await bury(one);
  }
  /** Everybody says that they live and looks whether the others do. */
  async function watch(names: readonly string[]): Promise<void> {
    for (const name of names) await act(name, (engine) => engine.worker.membership.beat());
    if (!parts.many) return;
    for (const name of names) await act(name, (engine) => engine.worker.membership.evictDead());
  }
  async function drain(options: { names?: readonly string[]; forMs?: number } = {}): Promise<void> {
    const names = options.names ?? ["main"];
    const until = options.forMs === undefined ? null : clock.now().getTime() + options.forMs;
    let outwaited = false;
    for (let round = 0; round < roundsMax; round++) {
      let moved = false;
      for (const name of names) moved = (await act(name, parts.step ?? step)) || moved;
      if (moved) outwaited = false;
      if (moved) continue;
      const next = await nextMoment(real, clock.now());
      const over = !next || (until !== null && next.getTime() > until);
      if (over && (outwaited || !parts.many)) return;
      if (next && !over) clock.advanceTo(next);
      else clock.advance(silenceMs + 1);
      outwaited = over;
      await watch(names);
    }
    throw new Stuck(`After ${roundsMax} rounds there is still something to do.`);
  }
  return {
    clock,
    real,
    events,
    signals,
    get crashes() {
      return crashes;
    },
    act,
    begin,
    join,
    rest,
    drain,
    accept: async (drafts, options) => void (await act("main", (engine) => engine.accept(drafts, options))),
    async close() {
      for (const one of living.values()) collect(one);
      for (const one of living.values()) await one.engine.close();
      living.clear();
    },
  };
}

/** Claims, works and commits once at every stage, and treats failures as the pumps of a running engine do. */
export const step = makeStep(() => undefined);

/** The same, telling which stage has something in its hands. */
export function makeStep(onStage: (stage: string | null) => void) {
  return async ({ worker, refresh }: TestEngine): Promise<boolean> => {
    onStage(null);
    await refresh();
    let moved = false;
    for (const lane of worker.lanes) {
      const claim = await lane.take();
      if (!claim) continue;
      moved = true;
      onStage(lane.plan.stage.name);
      await processAsPumpsDo(worker, lane, claim);
      onStage(null);
    }
    return (await worker.reap()) > 0 || (await worker.relay()) > 0 || moved;
  };
}

/** A claim that could not be brought to its end is given up with the next heartbeat. */
export async function processAsPumpsDo(worker: Worker, lane: Lane, claim: Claim): Promise<void> {
  try {
    await lane.process(claim);
  } catch (error) {
    worker.membership.giveUp(error instanceof Error ? error.message : String(error));
    await worker.membership.beat();
  }
}

/** Long enough for the committer, which waits one turn for more results. */
const idleTurns = 6;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
