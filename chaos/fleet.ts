import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Order, WorkerOrder } from "./worker-order.ts";

/** A line from a worker: a signal of its engine, or a message of the storm. */
export interface Told {
  readonly at: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** A worker process, in one of the places of the fleet. */
export interface Living {
  /** Unique; the database knows the process's sessions by this name. */
  readonly name: string;
  readonly place: number;
  readonly pid: number;
  readonly child: ChildProcess;
  ready: boolean;
  frozen: boolean;
}

export interface ToldEvent {
  readonly times: number;
  readonly lastAt: number;
}

export interface Death {
  readonly name: string;
  readonly at: number;
  readonly how: string;
}

/** A fleet of `size` workers. A dead worker is replaced, as by a supervisor. */
export interface Fleet {
  readonly size: number;
  readonly living: readonly Living[];
  /** Workers killed while running. */
  readonly deaths: readonly Death[];
  /** Workers that ended by themselves, with their last words. */
  readonly collapses: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
  /** Event keys, with number and time of publications. */
  readonly told: ReadonlyMap<string, ToldEvent>;
  kill(one: Living, how: string): void;
  freeze(one: Living): void;
  thaw(one: Living): void;
  order(one: Living, order: Order): void;
  /** The replacement obeys from its first moment. */
  orderSuccessor(one: Living, order: Order): void;
  /** Calls `heard` for every line of any worker, until the returned function is called. */
  onTold(heard: (told: Told, by: Living) => void): () => void;
  stop(): Promise<void>;
}

export interface FleetOptions {
  readonly script: string;
  readonly size: number;
  readonly orderOf: (place: number, name: string) => Omit<WorkerOrder, "first">;
}

const againMs = 60;
const unableMs = 300;

export function startFleet({ script, size, orderOf }: FleetOptions): Fleet {
  const places: (Living | null)[] = Array.from({ length: size }, () => null);
  const deaths: Death[] = [];
  const collapses: string[] = [];
  const counts = new Map<string, number>();
  const told = new Map<string, ToldEvent>();
  const listeners = new Set<(told: Told, by: Living) => void>();
  const born = places.map(() => 0);
  const first = new Map<number, Order>();
  let stopping = false;

  function hear(line: string, by: Living): void {
    let word: Told;
    try {
      word = JSON.parse(line);
    } catch {
      return; // Cut off in the middle of a line.
    }
    counts.set(word.kind, (counts.get(word.kind) ?? 0) + 1);
    if (word.kind === "chaos.ready") by.ready = true;
    if (word.kind === "chaos.told")
      for (const key of word.keys as string[])
        told.set(key, { times: (told.get(key)?.times ?? 0) + 1, lastAt: Date.parse(word.at) });
    if (word.kind === "chaos.point" && word.action === "kill") died(by, String(word.point), word.at);
    if (word.kind === "chaos.point" && word.action === "freeze") by.frozen = true;
    if (word.kind === "chaos.bomb") died(by, "a bomb", word.at);
    for (const heard of listeners) heard(word, by);
  }
  const died = ({ name }: Living, how: string, at = new Date().toISOString()) =>
    void deaths.push({ name, at: Date.parse(at), how });

  function start(place: number): void {
    if (stopping) return;
    const name = `worker-${place}.${born[place] ?? 0}`;
    born[place] = (born[place] ?? 0) + 1;
    const order: WorkerOrder = { ...orderOf(place, name), first: first.get(place) ?? null };
    first.delete(place);
    const child = spawn(process.execPath, [script, JSON.stringify(order)], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    const one: Living = { name, place, pid: child.pid as number, child, ready: false, frozen: false };
    places[place] = one;
    child.stdin?.on("error", () => undefined);
    let unable = false;
    let errors = "";
    child.stderr?.on("data", (data) => {
      errors = `${errors}${String(data)}`.slice(-2_000);
    });
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      unable ||= line.includes('"chaos.unable"');
      hear(line, one);
    });
    child.on("close", (code) => {
      if (places[place] === one) places[place] = null;
      if (code !== null && !unable && !stopping)
        collapses.push(`${name} ended with ${code}: ${lastWords(errors)}`);
      setTimeout(() => start(place), unable ? unableMs : againMs);
    });
  }
  for (let place = 0; place < size; place++) start(place);
  const isThere = (one: Living) => places[one.place] === one && one.child.exitCode === null;
  return {
    size,
    get living() {
      return places.filter((one): one is Living => one !== null);
    },
    deaths,
    collapses,
    counts,
    told,
    kill(one, how) {
      if (!isThere(one)) return;
      died(one, how);
      one.child.kill("SIGKILL");
    },
    freeze(one) {
      one.frozen = true;
      one.child.kill("SIGSTOP");
    },
    thaw(one) {
      one.frozen = false;
      one.child.kill("SIGCONT");
    },
    order(one, order) {
      one.child.stdin?.write(`${JSON.stringify(order)}\n`);
    },
    orderSuccessor: ({ place }, order) => void first.set(place, order),
    onTold(heard) {
      listeners.add(heard);
      return () => listeners.delete(heard);
    },
    async stop() {
      stopping = true;
      const left = places.filter((one): one is Living => one !== null);
      await Promise.all(left.map(end));
    },
  };
}

/** The error with its location. */
function lastWords(errors: string): string {
  const lines = errors.split("\n").map((line) => line.trim());
  const error = lines.findIndex((line) => /Error\b/.test(line));
  return lines.slice(Math.max(0, error), Math.max(0, error) + 3).join(" ");
}

const stopMs = 15_000;

async function end({ child }: Living): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGCONT");
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), stopMs);
  await closed;
  clearTimeout(late);
}
