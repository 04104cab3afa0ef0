import { setMaxListeners } from "node:events";
import { classify } from "../decide/classify.ts";
import type { Emit } from "../decide/signal.ts";
import type { Channel } from "../dispatch/alert-channel.ts";
import type { Dispatch, Receipt } from "../dispatch/dispatch.ts";
import type { Isolates } from "../sandbox/isolate.ts";
import { addProgress } from "../store/census.ts";
import { evictedCode } from "../store/claims.ts";
import { runAhead } from "./ahead.ts";
import { lookForAlerts } from "./alerter.ts";
import { alertAsOne, asSingleton, takeRole } from "./as-singleton.ts";
import type { AttemptParts } from "./attempt.ts";
import { type BreakerParts, makeBreakers } from "./breaker.ts";
import { byPriority } from "./by-priority.ts";
import { takeReading } from "./census.ts";
import type { DeathBell } from "./death-bell.ts";
import type { PlannedStage } from "./graph.ts";
import { type Lane, type LaneParts, makeLane } from "./lane.ts";
import { type Loop, patient, skipped, startLoop } from "./loop.ts";
import { joinWorkers, type Membership } from "./membership.ts";
import { makeSharedPoll } from "./outlook.ts";
import { oweExisting } from "./owe.ts";
import { type Pump, type PumpParts, type Reservation, startPump } from "./pump.ts";
import { relayAll, relayBatch } from "./relay.ts";
import type { Running } from "./running.ts";
import { sendNotices } from "./send-notices.ts";
import { makeTurn } from "./suspects.ts";
import { reapAll, type SweepParts, type Swept, sweep } from "./sweep.ts";

/** Settings of a worker, in the units of their names. */
export interface WorkerSettings {
  readonly name: string;
  readonly slots: number;
  readonly batchMax: number;
  readonly streamDocuments: number;
  readonly streamBytes: number;
  readonly pollMs: number;
  readonly heartbeatMs: number;
  readonly silenceMs: number;
  readonly watchMs: number;
  readonly controlsMs: number;
  readonly sweepMs: number;
  readonly stuckMs: number;
  readonly relayMs: number;
  readonly graceMs: number;
  readonly keepMs: number;
  readonly alertMs: number;
  readonly censusMs: number;
  readonly inPlace: boolean;
  readonly gatherMs: number;
  readonly alone: boolean;
  /** Whether outputs run ahead through the next stages before the commit. */
  readonly runAhead: boolean;
}

export interface WorkerParts
  extends Omit<BreakerParts, "changed">,
    Pick<SweepParts, "graph" | "numbers">,
    Pick<AttemptParts, "services"> {
  readonly isolates: Isolates;
  readonly dispatch: Dispatch;
  /** The stages of this process. */
  readonly stages: ReadonlySet<number>;
  readonly settings: WorkerSettings;
  /** Rings at deaths, for looking at them at once; without it they are looked at in time. */
  readonly bell?: Omit<DeathBell, "emit">;
  /** Ways to tell people about alerts; none: alerts are only listed. */
  readonly channels: readonly Channel[];
  /** Sets the clock to the server's, if any. */
  readonly setClock?: () => Promise<void>;
}

/** All moving parts of one process, without timers: tests move them by hand. */
export interface Worker {
  readonly lanes: readonly Lane[];
  readonly membership: Membership;
  sweep(options?: { dryRun?: boolean }): Promise<Swept>;
  relay(): Promise<number>;
  /** Looks for alerts and sends due notices; returns the number of sent notices. */
  alert(options?: { readonly waits?: boolean }): Promise<number>;
  /** Counts for everybody who looks; false: counted a moment ago. */
  census(): Promise<boolean>;
  /** Adds the results since the last call to the figures of all workers. */
  tellProgress(): Promise<void>;
  reap(): Promise<number>;
  /** Owes new stages to older documents. */
  owe(): Promise<number>;
  /** Notifies stages of possible work; set by the owner of the pumps. */
  onWake: (stages: readonly number[]) => void;
  onReap: () => void;
  /** Ends running attempts, and returns their number; their tasks are released. */
  abort(): number;
  /** Stops waiting for claims. */
  stopping(): void;
  leave(): Promise<void>;
}

const relayAgainMs = 100;
const oweAgainMs = 1_000;
/** A worker without others looks for dead workers this often: another one may have joined. */
const onlyOneMs = 1_000;
/** With nobody waiting for events, and none found, so many turns of the relay are one. */
const restingRelays = 5;

export async function makeWorker(parts: WorkerParts): Promise<Worker> {
  const { db, store, clock, graph, controls, emit, dispatch, settings } = parts;
  const stop = new AbortController();
  // Every task waiting for its next attempt listens to this signal.
  setMaxListeners(0, stop.signal);
  const running = new Set<Running>();
  const mine = graph.stages.filter((plan) => parts.stages.has(plan.number));
  const worker: Pick<Worker, "onWake" | "onReap"> = { onWake: () => undefined, onReap: () => undefined };
  const wake = (stages: readonly number[], tasks?: number) => {
    worker.onWake(stages);
    dispatch.announce(stages, tasks);
  };
  const membership = await joinWorkers({
    db,
    store,
    clock,
    emit,
    name: settings.name,
    stages: mine.map((plan) => ({ number: plan.number, name: plan.stage.name })),
    silenceMs: settings.silenceMs,
    alone: settings.alone,
    freed: () => wake(graph.stages.map((plan) => plan.number)),
    ended: () => worker.onWake([...parts.stages]),
    setClock: parts.setClock,
  });
  const breakers = makeBreakers({
    db,
    store,
    clock,
    controls,
    emit,
    changed: () => dispatch.announceControls(),
  });
  const workerNumber = membership.number;
  const reap = () => worker.onReap();
  const progress = makeProgress();
  const lanes = makeLanes(mine, parts, {
    breakers,
    running,
    workerNumber,
    stopping: stop.signal,
    wake,
    reap,
    counted: progress.add,
  });
  const { evictDead, heldByDead } = membership;
  const { keepMs, stuckMs } = settings;
  const sweepParts = { ...parts, evictDead, heldByDead, wake, keepMs, stuckMs };
  return Object.assign(worker, {
    lanes: [...lanes.values()],
    membership,
    sweep: (options?: { dryRun?: boolean }) => sweep(sweepParts, options),
    relay: () => store.relayEvents(db, relayBatch, dispatch.publish, clock.now),
    alert: async (options?: { readonly waits?: boolean }) => {
      await lookForAlerts(parts, options);
      return await sendNotices(parts);
    },
    census: () => {
      const { censusMs } = settings;
      const stillOurs = () => takeRole("census", workerNumber(), parts);
      return takeReading({ db, clock, censusMs, stopping: stop.signal, stillOurs });
    },
    tellProgress: () => progress.tell((done) => addProgress(db, workerNumber(), done)),
    reap: () => reapAll(sweepParts),
    owe: () => oweExisting({ ...sweepParts, wake }),
    abort() {
      const ended = running.size;
      for (const one of running) one.end({ kind: "stopped" });
      return ended;
    },
    stopping: () => stop.abort(),
    leave: membership.leave,
  });
}

/** Results since the last addition, by stage; kept for the next addition after a failure. */
function makeProgress() {
  let done = new Map<number, number>();
  const add = (stage: number, tasks: number) => done.set(stage, (done.get(stage) ?? 0) + tasks);
  return {
    add,
    async tell(write: (done: ReadonlyMap<number, number>) => Promise<void>): Promise<void> {
      if (done.size === 0) return;
      const told = done;
      done = new Map();
      try {
        await write(told);
      } catch (error) {
        for (const [stage, tasks] of told) add(stage, tasks);
        throw error;
      }
    },
  };
}

type Hands = Pick<
  LaneParts,
  "breakers" | "running" | "workerNumber" | "stopping" | "wake" | "reap" | "counted"
>;

/** A lane for each stage; each may run documents ahead through the rest. */
function makeLanes(mine: readonly PlannedStage[], parts: WorkerParts, hands: Hands): Map<number, Lane> {
  const { settings } = parts;
  const lanes = new Map<number, Lane>();
  const quickStage = (number: number) => {
    const lane = lanes.get(number);
    return lane?.runsAhead() ? lane.plan : null;
  };
  const doubt = (number: number) => lanes.get(number)?.doubt();
  const aheadParts = { ...parts, ...hands, gatherMs: settings.gatherMs, doubt, runAhead: null, quickStage };
  const laneParts: LaneParts = {
    ...aheadParts,
    ...settings,
    turn: makeTurn(),
    runAhead: settings.runAhead ? (results) => runAhead(results, aheadParts) : null,
  };
  for (const plan of mine) lanes.set(plan.number, makeLane(plan, laneParts));
  return lanes;
}

/** A worker moved by timers. */
export interface RunningWorker {
  wake(stages: readonly number[]): void;
  /** A notification with a receipt, acknowledged after the resulting commit. */
  hear(stage: number, receipt: Receipt): void;
  /** Reserves room at a stage for documents being accepted, with the worker's number. */
  reserve(stage: number, tasks: number): (Reservation & { readonly worker: number }) | null;
  /** Claims nothing more, lets running attempts end for a while, then releases them. */
  stop(): Promise<void>;
}

export function startWorker(worker: Worker, parts: WorkerParts): RunningWorker {
  const { settings, clock, emit, controls } = parts;
  const health = watchDatabase(emit, parts);
  let stopped = false;
  const failed = (error: unknown) => {
    // Evicted: the next heartbeat starts again under a new number.
    if ((error as { code?: unknown }).code === evictedCode) beating.wake();
    else health.failed(error);
  };
  const abandoned = (error: unknown) => {
    health.failed(error);
    worker.membership.giveUp(describe(error));
    beating.wake();
  };
  const pumps = startPumps(worker, parts, { failed, abandoned });
  const loop = (everyMs: number, run: () => Promise<unknown>): Loop =>
    startLoop(clock, {
      everyMs,
      failed: health.failed,
      run: async () => {
        // A skipped turn has not asked the database.
        if ((await run()) !== skipped) health.well();
      },
    });
  const reaping = loop(settings.sweepMs, () => worker.reap());
  const beating = loop(settings.heartbeatMs, () => beatAndTell(worker));
  const relaying: Loop = loop(
    settings.relayMs,
    patient(restingRelays, async () => {
      let relayed = 0;
      const ours = await asSingleton("relay", worker, parts, async () => {
        relayed = await relayAll(worker, emit);
      });
      // The relaying worker relays all the time; the rest only check its presence.
      if (ours && parts.dispatch.isAwaited && !stopped)
        clock.after(Math.min(relayAgainMs, settings.relayMs), relaying.wake);
      return !parts.dispatch.isAwaited && relayed === 0;
    }),
  );
  const watching = loop(
    settings.watchMs,
    patient(onlyOneMs / settings.watchMs, () => watchOthers(worker)),
  );
  // After the death of a whole fleet, the first new worker finds their claims.
  watching.wake();
  const owing: Loop = loop(settings.sweepMs, async () => {
    try {
      await worker.owe();
    } catch (error) {
      if (!stopped) clock.after(oweAgainMs, owing.wake);
      throw error;
    }
  });
  owing.wake();
  const loops = [
    owing,
    beating,
    watching,
    loop(settings.controlsMs, controls.refresh),
    relaying,
    loop(settings.sweepMs, () => asSingleton("sweep", worker, parts, () => worker.sweep())),
    startAlerting(loop, worker, parts),
    loop(settings.censusMs, () => asSingleton("census", worker, parts, worker.census)),
    reaping,
  ];
  const wake = (stages: readonly number[]) => wakeDue(stages, pumps, worker, controls);
  worker.onWake = wake;
  worker.onReap = reaping.wake;
  return {
    wake,
    reserve(stage, tasks) {
      const reserved = pumps.get(stage)?.reserve(tasks);
      return reserved ? { ...reserved, worker: worker.membership.number() } : null;
    },
    hear(stage, receipt) {
      const pump = pumps.get(stage);
      if (pump) pump.wake(receipt);
      else receipt.done();
    },
    async stop() {
      stopped = true;
      worker.stopping();
      let released = 0;
      const abort = clock.after(settings.graceMs, () => {
        released = worker.abort();
      });
      await Promise.all([...pumps.values()].map((pump) => pump.stop()));
      abort();
      await Promise.all(loops.map((one) => one.stop()));
      for (const last of [worker.tellProgress, worker.leave]) await last().catch(health.failed);
      emit({ kind: "worker.stopped", worker: worker.membership.number(), released });
    },
  };
}

function wakeDue(
  stages: readonly number[],
  pumps: ReturnType<typeof startPumps>,
  { lanes }: Worker,
  controls: WorkerParts["controls"],
): void {
  const due = new Set(stages);
  for (const { plan } of byPriority(lanes, controls))
    if (due.has(plan.number)) pumps.get(plan.number)?.wake();
}

function startAlerting(
  loop: (everyMs: number, run: () => Promise<unknown>) => Loop,
  worker: Worker,
  parts: WorkerParts,
): Loop {
  const alerting = loop(parts.settings.alertMs, () => alertAsOne(worker, parts));
  parts.bell?.onDeath(alerting.wake);
  return alerting;
}

async function beatAndTell({ membership, tellProgress }: Worker): Promise<void> {
  await membership.beat();
  await tellProgress();
}

type Failing = Pick<PumpParts, "failed" | "abandoned">;

function startPumps({ lanes }: Worker, parts: WorkerParts, failing: Failing): ReadonlyMap<number, Pump> {
  const { clock, emit } = parts;
  const { pollMs } = parts.settings;
  const poll = makeSharedPoll({ ...parts, stages: lanes.map((lane) => lane.plan.number), pollMs });
  const start = (lane: Lane) => {
    const { name: stage } = lane.plan.stage;
    const stale = (notices: number) => emit({ kind: "news.stale", stage, notices });
    return startPump(lane, { clock, pollMs, poll, stale, ...failing });
  };
  return new Map(byPriority(lanes, parts.controls).map((lane) => [lane.plan.number, start(lane)]));
}

/** True: there are no other workers. */
async function watchOthers({ membership }: Worker): Promise<boolean> {
  await membership.evictDead();
  return membership.isOnlyOne();
}

const describe = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 500);

/** Turns the failures of all moving parts into two signals: the database is lost, and it is back. */
function watchDatabase(emit: Emit, { clock }: WorkerParts) {
  let lostAt: Date | null = null;
  return {
    failed(error: unknown) {
      if (lostAt) return;
      lostAt = clock.now();
      emit({ kind: "database.lost", fault: classify(error) });
    },
    well() {
      if (!lostAt) return;
      emit({ kind: "database.back", downMs: clock.now().getTime() - lostAt.getTime() });
      lostAt = null;
    },
  };
}
