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

/** A live process running an engine. */
interface Living {
  readonly name: string;
  readonly engine: TestEngine;
  readonly faulty: FaultyDatabase;
}

/** An action in progress in a process. */
export interface Doing<T> {
  readonly living: Living;
  readonly promise: Promise<T>;
}

export interface WorldParts {
  readonly real: Database;
  readonly faults: Faults;
  /** Either fixed, or created for each started process. */
  readonly pipelines: readonly Pipeline[] | ((process: FaultyDatabase) => readonly Pipeline[]);
  readonly services: Readonly<Record<string, unknown>>;
  readonly settings?: Partial<WorkerSettings>;
  readonly store?: Partial<Store>;
  /** Several workers: the survivors evict a dead worker, instead of its own restart. */
  readonly many?: boolean;
  /** Called after each death of a process, before any reaction. */
  readonly onDeath: () => Promise<void>;
  /** Advances an engine in `drain`; see `makeStep`. */
  readonly step?: (engine: TestEngine) => Promise<boolean>;
  /** Reports running code for which the world's clock must stand still, such as a call to a real service. */
  readonly busy?: () => Waiting | null;
}

/** A wait for something outside the world. */
export interface Waiting {
  /** Resolves at the end of the wait, or at another event. */
  readonly over: Promise<void>;
  stop(): void;
}

/**
 * Scene of a scenario: processes with a fault possible at any call, restarted after death, and a clock moved by hand.
 */
export interface World {
  readonly clock: VirtualClock;
  readonly real: Database;
  readonly events: readonly OutboxRow[];
  readonly signals: readonly Signal[];
  /** Dead processes plus cut connections. */
  readonly crashes: number;
  /** Runs an action in a process, repeated until answered, as a client or a supervisor would. */
  act<T>(name: string, action: (engine: TestEngine) => Promise<T>): Promise<T>;
  /** Begins an action in a process, started if need be; `join` awaits the result. */
  begin<T>(name: string, action: (engine: TestEngine) => Promise<T>): Promise<Doing<T>>;
  /** Null: the process died, or its connection was cut. */
  join<T>(doing: Doing<T>): Promise<T | null>;
  /** Lets all processes continue as far as possible without passing time. */
  rest(): Promise<void>;
  accept(drafts: DocumentDraft | readonly DocumentDraft[], options?: AcceptOptions): Promise<void>;
  /**
   * Runs until no task is left for which time alone is missing (within `forMs`, if given), and until dead workers are
   * evicted.
   */
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
    // Opening reads migration files: no time must pass meanwhile.
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

  /** Waits for the answer, or for the process's death. Time passes when all processes only wait. */
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
    // Without a restart, the survivors notice the missing heartbeat.
    clock.advance(silenceMs + 1);
    await watch([...living.keys()]);
  }
  function collect({ engine }: Living): void {
    events.push(...engine.events);
    signals.push(...engine.signals);
  }
  /** Retries after a heartbeat, as pumps, clients and loops do. See `startWorker`. */
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
  /** Heartbeats of all workers, then eviction of dead workers. */
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

/** Claims, runs and commits once at every stage, with failures handled as in the pumps of a running engine. */
export const step = makeStep(() => undefined);

/** As `step`, reporting the stage with a claim in progress. */
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

/** A claim that failed to end is given up with the next heartbeat. */
export async function processAsPumpsDo(worker: Worker, lane: Lane, claim: Claim): Promise<void> {
  try {
    await lane.process(claim);
  } catch (error) {
    worker.membership.giveUp(error instanceof Error ? error.message : String(error));
    await worker.membership.beat();
  }
}

/** Enough turns for the committer, which waits one turn for more results. */
const idleTurns = 6;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
