import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseOption, Engine, Signal } from "@headway/engine";
import {
  dropScratchSchema,
  readTraffic,
  scratchPrefix,
  sumServiceCalls,
  type Traffic,
} from "@headway/engine/internal";
import type { Database } from "@headway/engine/operate";
import { watchMachine } from "./watch-machine.ts";
import { watchStatements } from "./watch-statements.ts";

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

/** Runs a test once and measures: time by stage, statements, processor, memory, disk. */
export async function observe(test: Test, place: DatabaseOption, ledger: Database): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), "headway-bench-"));
  const schema = `${scratchPrefix}${randomUUID().slice(0, 8)}`;
  const onServer = "url" in place;
  const stages = watchStages();
  const statements = watchStatements();
  try {
    const running = await test.start({
      folder,
      database: {
        ...(onServer ? { ...place, schema } : { folder: join(folder, "database") }),
        onStatement: statements.heard,
      },
      onSignal: stages.heard,
    });
    const before = await readTraffic(onServer ? ledger : running.engine.database);
    const machine = watchMachine();
    statements.begin();
    const documents = await running.work();
    machine.pause();
    statements.end();
    // A server's sessions report statistics at their end; the embedded database is asked before.
    const embedded = onServer ? null : await readTraffic(running.engine.database);
    const calls = await callFigures(running.engine.database);
    await running.stop();
    const figures = machine.figures();
    const traffic = difference(before, embedded ?? (await settledTraffic(ledger)));
    return {
      throughput: documents / figures.seconds,
      ...figures,
      ...statements.figures(),
      transactions: traffic.transactions,
      rowsWritten: traffic.rowsWritten,
      databaseReadMb: traffic.bytesRead / 1e6,
      walMb: traffic.walBytes / 1e6,
      ...calls,
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

/** Calls to services, as stored with the results: how many, and their time; tokens where answers report them. */
async function callFigures(database: Database): Promise<Figures> {
  const rows = await sumServiceCalls(database);
  return Object.fromEntries(
    rows.flatMap(({ service, calls, ms, tokens }) => [
      [`calls of ${service}`, calls],
      [`calls of ${service} ms`, ms],
      ...(tokens > 0 ? [[`tokens of ${service}`, tokens]] : []),
    ]),
  );
}

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
