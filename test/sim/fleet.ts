import type { Signal } from "../../engine/src/decide/signal.ts";
import type { DocumentDraft } from "../../engine/src/define/collection.ts";
import type { OutboxRow } from "../../engine/src/store/outbox.ts";
import { checkAlways } from "../crash/checker.ts";
import { noticeMoment } from "../crash/sometimes.ts";
import { machines } from "./letters.ts";
import { makeMachine } from "./machines.ts";
import { kill, type Moment, makeProcess, type Process } from "./process.ts";
import { makeReaders } from "./readers.ts";
import type { SceneParts } from "./scene.ts";
import { noticeSignal } from "./sometimes.ts";
import { type SimWorker, startSimWorker } from "./worker.ts";

/** The workers of a run, and their supervisor. */
export interface Fleet {
  start(): void;
  crash(worker: number, at: Moment | "once", downMs: number): void;
  hang(worker: number, at: Moment | "once", forMs: number): void;
  /** Requests a graceful stop; a restart follows after `downMs`. */
  stop(worker: number, downMs: number): void;
  jump(worker: number, byMs: number): void;
  loseSession(worker: number): void;
  /** Accepts a letter at a running worker; null: no worker runs. */
  handIn(letter: DocumentDraft): Promise<void> | null;
  /** Ends all workers for good. */
  end(): void;
}

interface Place {
  readonly name: string;
  readonly stages: readonly string[];
  lives: number;
  process: Process;
  running: SimWorker | null;
}

export function makeFleet(parts: SceneParts): Fleet {
  const { scheduler, chance, sometimes, ground, server, plot, told, violated } = parts;
  const readers = makeReaders(ground, plot);
  const jams = new Map<string, number>();
  const places: Place[] = plot.workers.map((stages, index) => {
    const name = `worker ${index}`;
    return { name, stages, lives: 0, process: makeProcess(name, scheduler, chance), running: null };
  });
  const at = (worker: number) => places[worker] as Place;

  function onSignal(process: Process, signal: Signal): void {
    scheduler.note(`${process.name}: ${describe(signal)}`);
    noticeSignal(signal, sometimes);
    if (signal.kind === "worker.lost" && process.hasHung && signal.because === "it was declared dead")
      sometimes.add("a hung worker wakes up and was declared dead");
    // The worst moment for a hung worker to resume: just after the eviction freed its tasks for a successor.
    if (signal.kind === "worker.evicted" && signal.freed > 0)
      for (const { process: hung } of places)
        if (hung.state === "hung") scheduler.after(chance.between(0, 1_000), null, () => thaw(hung));
  }
  const publish = (process: Process) => (events: readonly OutboxRow[]) =>
    server.send(process, { what: "publish", alone: false, commits: false }, async () => {
      for (const { key } of events) {
        const times = (told.get(key) ?? 0) + 1;
        told.set(key, times);
        if (times === 2) sometimes.add("an event is told twice");
      }
    });
  async function boot(place: Place): Promise<void> {
    place.lives += 1;
    place.running = null;
    const process = makeProcess(`${place.name}.${place.lives}`, scheduler, chance);
    place.process = process;
    const machineParts = {
      ...parts,
      jams,
      kill: (victim: Process) => die(place, victim, chance.between(50, 500)),
    };
    try {
      place.running = await startSimWorker(process, {
        graph: ground.graph,
        stages: place.stages,
        store: parts.store,
        settings: plot.settings,
        database: server.connect(process),
        services: Object.fromEntries(
          machines.map((name) => [name, makeMachine(name, process, machineParts)]),
        ),
        onSignal: (signal) => onSignal(process, signal),
        publish: publish(process),
        begun: () => sometimes.add("a document is begun with in the moment it is accepted"),
      });
    } catch (error) {
      // A failed start ends the process; the supervisor starts another.
      scheduler.note(`${process.name}: cannot start, ${error}`);
      die(place, process, 1_000);
    }
  }
  function die(place: Place, process: Process, downMs: number): void {
    if (process.state === "dead") return;
    scheduler.note(`! ${process.name} dies`);
    const { kept, dropped } = kill(process, chance);
    if (kept > 0) sometimes.add("a worker crashes after a commit and before its answer");
    if (dropped > 0) sometimes.add("a worker crashes with a commit on its way, and nothing comes of it");
    scheduler.after(0, null, lookAround);
    scheduler.after(downMs, null, () => void boot(place));
  }
  function freeze(process: Process, forMs: number): void {
    if (process.state !== "living") return;
    scheduler.note(`! ${process.name} hangs for ${forMs.toFixed(0)} ms`);
    process.state = "hung";
    process.hasHung = true;
    scheduler.after(forMs, null, () => thaw(process));
  }
  function thaw(process: Process): void {
    if (process.state !== "hung") return;
    scheduler.note(`! ${process.name} wakes up`);
    scheduler.wake(process);
  }
  /**
   * A client without an answer kills the process before trying elsewhere: a late effect must not undo a later change.
   */
  function handInAt(place: Place, letter: DocumentDraft): Promise<void> {
    const { process } = place;
    return new Promise((resolve, reject) => {
      const late = scheduler.after(patienceMs, null, () => {
        die(place, process, chance.between(50, 500));
        reject(Object.assign(new Error("nobody answers"), { code: "08006" }));
      });
      const end = (answer: () => void) => {
        late.off = true;
        answer();
      };
      place.running?.accept(letter).then(
        () => end(resolve),
        (error) => end(() => reject(error)),
      );
    });
  }
  async function lookAround(): Promise<void> {
    await noticeMoment(ground.real, sometimes);
    violated(...(await readers.look()));
    if (parts.looking) violated(...(await checkAlways(ground.real)));
  }
  return {
    start: () => {
      for (const place of places) scheduler.after(chance.between(0, 500), null, () => void boot(place));
    },
    crash(worker, when, downMs) {
      const place = at(worker);
      const { process } = place;
      befall(place, when, () => die(place, process, downMs));
    },
    hang(worker, when, forMs) {
      const { process } = at(worker);
      befall(at(worker), when, () => freeze(process, forMs));
    },
    stop(worker, downMs) {
      const place = at(worker);
      const { running, process } = place;
      if (!running || process.state !== "living") return;
      scheduler.note(`! ${process.name} is asked to stop`);
      place.running = null;
      running.stop().then(
        () => die(place, process, downMs),
        (error) => violated({ promise: "a worker stops in good order", story: String(error) }),
      );
    },
    jump(worker, byMs) {
      const { process } = at(worker);
      scheduler.note(`! the clock of ${process.name} jumps by ${byMs.toFixed(0)} ms`);
      process.offsetMs += byMs;
      sometimes.add("a worker's clock jumps");
    },
    loseSession(worker) {
      const { process } = at(worker);
      if (process.state !== "living" || !server.loseSession(process)) return;
      scheduler.note(`! the session of ${process.name} is lost`);
      sometimes.add("a session is lost while its worker lives");
    },
    handIn(letter) {
      const open = places.filter(({ running, process }) => running && process.state === "living");
      return open.length > 0 ? handInAt(chance.pick(open), letter) : null;
    },
    end() {
      for (const { process } of places) process.state = "dead";
    },
  };
}

const patienceMs = 4_000;

/** Applies the fault now, or at the next moment of the kind; a process never started is spared. */
function befall({ process, lives }: Place, when: Moment | "once", fall: () => void): void {
  if (lives === 0) return;
  if (when === "once") fall();
  else process.doom = { at: when, fall };
}

function describe(signal: Signal): string {
  const { at: _, ...rest } = signal;
  const fault = "fault" in rest ? rest.fault.code : undefined;
  return JSON.stringify({ ...rest, ...(fault && { fault }) });
}
