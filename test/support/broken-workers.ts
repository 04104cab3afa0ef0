import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Config } from "../../engine/src/config.ts";
import { quickConfig } from "./own-schema.ts";

/** Command line of a worker of the broken shop (test/fixtures/broken-pipeline.ts). */
export interface BrokenOrder {
  readonly database: { url: string; schema: string } | { folder: string };
  readonly config?: Partial<Config>;
  readonly name?: string;
  readonly version?: string;
  /** Texts by id, accepted at the start. */
  readonly orders?: Readonly<Record<string, string>>;
  readonly source?: string;
  /** Prefixes of texts that no longer do harm: `torn`, `flaky`, `poison`, `stuck`. */
  readonly repaired?: readonly string[];
  readonly pricesDown?: boolean;
}

export interface BrokenWorker {
  readonly child: ChildProcess;
  /** Resolves after `times` signals of a kind, past signals included. */
  heard(kind: string, times?: number): Promise<void>;
  /** Requests a stop; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Kills the process, as a power cut would. */
  kill(): Promise<void>;
}

const script = fileURLToPath(new URL("../fixtures/broken-worker.ts", import.meta.url));

/** Starts a worker of the broken shop in a process of its own, and waits for readiness. */
export async function startBrokenWorker({ config, ...order }: BrokenOrder): Promise<BrokenWorker> {
  const told = JSON.stringify({ ...order, config: { ...quickConfig, ...config } });
  const flags = ["--conditions=@headway/source", "--import", "tsx"];
  const child = spawn(process.execPath, [...flags, script, told], { stdio: ["ignore", "pipe", "pipe"] });
  const counts = new Map<string, number>();
  const waiting = new Set<() => void>();
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += String(data);
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { kind } = JSON.parse(line) as { kind: string };
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const look of waiting) look();
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  const worker: BrokenWorker = {
    child,
    heard: (kind, times = 1) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if ((counts.get(kind) ?? 0) < times) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then((code) => reject(new Error(`The worker ended with ${code} before. ${errors}`)));
      }),
    async stop() {
      child.kill("SIGTERM");
      return await ended;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
  await worker.heard("shop.open");
  return worker;
}
