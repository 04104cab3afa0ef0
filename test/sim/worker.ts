import type { Signal } from "../../engine/src/decide/signal.ts";
import { startDatabaseDispatch } from "../../engine/src/dispatch/database.ts";
import type { Dispatch } from "../../engine/src/dispatch/dispatch.ts";
import { makeEmitter } from "../../engine/src/engine.ts";
import { type AcceptDocuments, makeAccept } from "../../engine/src/run/accept.ts";
import { makeControls } from "../../engine/src/run/controls.ts";
import type { Graph } from "../../engine/src/run/graph.ts";
import {
  makeWorker,
  type RunningWorker,
  startWorker,
  type WorkerParts,
} from "../../engine/src/run/worker.ts";
import { makeIsolates } from "../../engine/src/sandbox/isolate.ts";
import type { Claim } from "../../engine/src/store/claims.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { makeNumbers } from "../../engine/src/store/numbers.ts";
import type { OutboxRow } from "../../engine/src/store/outbox.ts";
import type { Store } from "../../engine/src/store/store.ts";
import type { Process } from "./process.ts";

/** Parts of a simulated worker, besides the process. */
export interface SimWorkerParts {
  readonly graph: Graph;
  readonly stages: readonly string[];
  readonly store: Store;
  readonly settings: Omit<WorkerParts["settings"], "name">;
  readonly database: Database;
  readonly services: Readonly<Record<string, unknown>>;
  readonly onSignal: (signal: Signal) => void;
  /** Publishes events; resolves after delivery. */
  readonly publish: (events: readonly OutboxRow[]) => Promise<void>;
  /** A document was claimed in the accepting statement. */
  readonly begun: () => void;
}

/** A process that runs stages and accepts documents. */
export interface SimWorker extends Pick<RunningWorker, "stop"> {
  readonly accept: AcceptDocuments;
}

/** A running worker, composed as in `engine.ts`, except for clock, network and the publishing of events. */
export async function startSimWorker(process: Process, parts: SimWorkerParts): Promise<SimWorker> {
  const { graph, store, database: db, services } = parts;
  const { clock } = process;
  const { emit } = makeEmitter(clock, parts.onSignal);
  const controls = makeControls(db, emit);
  await controls.refresh();
  const all = graph.stages.map((plan) => plan.number);
  let wakeUp: (stages: readonly number[]) => void = () => undefined;
  let wakeReaper: () => void = () => undefined;
  const told: Dispatch = await startDatabaseDispatch(db, clock, {
    work: (stages) => wakeUp(stages),
    controls: () =>
      void controls.refresh().then(
        () => {
          wakeUp(all);
          wakeReaper();
        },
        () => undefined,
      ),
  });
  const workerParts: WorkerParts = {
    db,
    store,
    clock,
    graph,
    numbers: makeNumbers(),
    controls,
    emit,
    services,
    isolates: makeIsolates(),
    dispatch: { ...told, publish: parts.publish },
    stages: new Set(parts.stages.map((name) => graph.stage(name).number)),
    channels: [],
    settings: { ...parts.settings, name: process.name },
  };
  const worker = await makeWorker(workerParts);
  const running = startWorker(worker, workerParts);
  wakeUp = running.wake;
  wakeReaper = () => worker.onReap();
  const wake = (stages: readonly number[]) => {
    running.wake(stages);
    told.announce(stages);
  };
  const reserve: RunningWorker["reserve"] = (stage, tasks) => {
    const reserved = running.reserve(stage, tasks);
    const begin = (claim: Claim) => {
      parts.begun();
      reserved?.begin(claim);
    };
    return reserved && { ...reserved, begin };
  };
  return { stop: running.stop, accept: makeAccept({ ...workerParts, wake, reserve }) };
}
