import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Config } from "../../engine/src/config.ts";
import type { Signal } from "../../engine/src/decide/signal.ts";
import type { BrokerOption } from "../../engine/src/run/news.ts";

/** Command line of a worker process. */
export interface WorkerOrder {
  readonly database: { url: string; schema: string } | { folder: string };
  readonly config?: Partial<Config>;
  readonly broker?: BrokerOption;
  /** Stages to run; all by default. */
  readonly stages?: readonly string[];
  /** Version written into the results. */
  readonly version?: string;
  readonly name?: string;
  /** Duration of each run of a stage. */
  readonly runMs?: number;
  /** Stops immediately after the start. */
  readonly brief?: boolean;
}

/** A signal received from another process. */
export type ToldSignal = Omit<Signal, "at"> & { readonly at: Date; readonly [field: string]: unknown };

export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly signals: readonly ToldSignal[];
  readonly errors: () => string;
  /** The first matching signal, past or future. */
  next(wanted: (signal: ToldSignal) => boolean): Promise<ToldSignal>;
  /** Requests a stop; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Exit code, after the end. */
  readonly ended: Promise<number | null>;
}

const script = fileURLToPath(new URL("../fixtures/worker-process.ts", import.meta.url));

/** Starts a worker in a process of its own. */
export function startWorkerProcess(order: WorkerOrder): WorkerProcess {
  const child = spawn(
    process.execPath,
    ["--conditions=@headway/source", "--import", "tsx", script, JSON.stringify(order)],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const signals: ToldSignal[] = [];
  const waiting = new Set<(signal: ToldSignal) => void>();
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += String(data);
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const told = JSON.parse(line) as ToldSignal & { at: string };
    const signal = { ...told, at: new Date(told.at) };
    signals.push(signal);
    for (const tell of waiting) tell(signal);
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return {
    child,
    signals,
    errors: () => errors,
    ended,
    next(wanted) {
      const past = signals.find(wanted);
      if (past) return Promise.resolve(past);
      return new Promise((resolve, reject) => {
        const tell = (signal: ToldSignal) => {
          if (!wanted(signal)) return;
          waiting.delete(tell);
          resolve(signal);
        };
        waiting.add(tell);
        void ended.then((code) =>
          reject(new Error(`The worker process ended with ${code} before that happened. ${errors}`)),
        );
      });
    },
    async stop() {
      child.kill("SIGTERM");
      return await ended;
    },
  };
}
