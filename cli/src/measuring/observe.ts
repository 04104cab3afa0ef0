import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseOption, Engine, Signal } from "@headway/engine";
import {
  type Database,
  dropScratchSchema,
  readTraffic,
  scratchPrefix,
  type Traffic,
} from "@headway/engine/operate";

/** A repeatable test, always on the same documents. */
export interface Test {
  readonly name: string;
  readonly documentSet: string;
  start(scratch: Scratch): Promise<Running>;
}

/** An empty place beside the real one, of the same kind; removed afterwards. */
export interface Scratch {
  readonly folder: string;
  readonly database: DatabaseOption;
  readonly onSignal: (signal: Signal) => void;
}

export interface Running {
  readonly engine: Engine;
  /** Does the work, and returns the number of documents. */
  work(): Promise<number>;
  stop(): Promise<void>;
}

/** Values by name of figure; more is better only for the throughput. */
export type Figures = Readonly<Record<string, number>>;

const lookEveryMs = 50;

/** Runs a test once and measures: time by stage, queries, processor, memory, disk. */
export async function observe(test: Test, place: DatabaseOption, ledger: Database): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), "headway-bench-"));
  const schema = `${scratchPrefix}${randomUUID().slice(0, 8)}`;
  const onServer = "url" in place;
  const stages = watchStages();
  try {
    const running = await test.start({
      folder,
      database: onServer ? { ...place, schema } : { folder: join(folder, "database") },
      onSignal: stages.heard,
    });
    const before = await readTraffic(onServer ? ledger : running.engine.database);
    const machine = watchMachine();
    const documents = await running.work();
    const figures = machine.stop();
    // A server's sessions report statistics at their end; the embedded database is asked before.
    const embedded = onServer ? null : await readTraffic(running.engine.database);
    await running.stop();
    const traffic = difference(before, embedded ?? (await settledTraffic(ledger)));
    return {
      throughput: documents / figures.seconds,
      ...figures,
      queries: traffic.transactions,
      rowsWritten: traffic.rowsWritten,
      databaseReadMb: traffic.bytesRead / 1e6,
      walMb: traffic.walBytes / 1e6,
      ...stages.figures(),
    };
  } finally {
    if (onServer) await dropScratchSchema(ledger, schema);
    await rm(folder, { recursive: true, force: true });
  }
}

/** A server notices the end of a session with a delay. */
async function settledTraffic(ledger: Database): Promise<Traffic> {
  let last = await readTraffic(ledger);
  for (let tries = 0; tries < settleTriesMax; tries++) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    const next = await readTraffic(ledger);
    if (next.rowsWritten === last.rowsWritten && tries > 0) return next;
    last = next;
  }
  return last;
}
const settleTriesMax = 10;

const difference = (before: Traffic, after: Traffic): Traffic => ({
  transactions: after.transactions - before.transactions,
  rowsWritten: after.rowsWritten - before.rowsWritten,
  bytesRead: after.bytesRead - before.bytesRead,
  walBytes: after.walBytes - before.walBytes,
});

/** The mean time of an attempt, by stage. */
function watchStages() {
  const spent = new Map<string, { tasks: number; ms: number }>();
  return {
    heard(signal: Signal) {
      if (signal.kind !== "task.done") return;
      const { tasks, ms } = spent.get(signal.stage) ?? { tasks: 0, ms: 0 };
      spent.set(signal.stage, { tasks: tasks + 1, ms: ms + signal.durationMs });
    },
    figures: (): Figures =>
      Object.fromEntries([...spent].map(([stage, { tasks, ms }]) => [`${stage} ms`, ms / tasks])),
  };
}

/** The system's block size in counters. */
const blockBytes = 512;

function watchMachine() {
  const from = performance.now();
  const cpu = process.cpuUsage();
  const { fsWrite } = process.resourceUsage();
  let memory = process.memoryUsage.rss();
  const timer = setInterval(() => {
    memory = Math.max(memory, process.memoryUsage.rss());
  }, lookEveryMs);
  return {
    stop() {
      clearInterval(timer);
      const seconds = (performance.now() - from) / 1_000;
      const { user, system } = process.cpuUsage(cpu);
      return {
        seconds,
        cpuSeconds: (user + system) / 1e6,
        memoryMb: memory / 1e6,
        diskWrittenMb: ((process.resourceUsage().fsWrite - fsWrite) * blockBytes) / 1e6,
      };
    },
  };
}
