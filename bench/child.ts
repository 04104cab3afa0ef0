import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A line of JSON from a measured process; output without a kind is ignored. */
export interface Line {
  readonly kind: string;
  readonly [field: string]: unknown;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Child {
  readonly process: ChildProcess;
  /** The first line of a kind, past or future. */
  next(kind: string): Promise<Line>;
  onLine(heard: (line: Line) => void): void;
  /** Kills the process, as a power cut would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a process configured by its command line, answering in lines of JSON. */
export function startChild({ command, args }: Program, order: object): Child {
  const child = spawn(command, [...args, JSON.stringify(order)], { stdio: ["ignore", "pipe", "pipe"] });
  const lines: Line[] = [];
  const listeners = new Set<(line: Line) => void>();
  let errors = "";
  child.stderr.on("data", (data) => {
    errors = `${errors}${data}`.slice(-errorsMax);
  });
  createInterface({ input: child.stdout }).on("line", (text) => {
    const line = readLine(text);
    if (!line) return;
    lines.push(line);
    for (const heard of listeners) heard(line);
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return {
    process: child,
    onLine: (heard) => void listeners.add(heard),
    next(kind) {
      const past = lines.find((line) => line.kind === kind);
      if (past) return Promise.resolve(past);
      return new Promise((resolve, reject) => {
        listeners.add((line) => line.kind === kind && resolve(line));
        void ended.then((code) =>
          reject(new Error(`It ended with ${code}: ${errors.trim().split("\n").at(-1)}`)),
        );
      });
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const errorsMax = 4_000;

function readLine(text: string): Line | null {
  if (!text.startsWith('{"kind"')) return null;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return null;
  }
}

/** Runs one measurement in a process of its own and returns the result; a hanging process is killed. */
export async function runChild<Found>(program: Program, order: object, limitMs: number): Promise<Found> {
  const child = startChild(program, order);
  const timer = setTimeout(() => child.process.kill("SIGKILL"), limitMs);
  try {
    return (await child.next("figures")).figures as Found;
  } finally {
    clearTimeout(timer);
    await child.kill();
  }
}
