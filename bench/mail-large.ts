import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { feed, readLedger, readSettings, startConsensus } from "@headway/consensus";
import type { DatabaseOption, Engine } from "@headway/engine";
import type { Database } from "../engine/src/store/database.ts";
import { watchMemory } from "./mail-engine.ts";
import { watchProcessTree } from "./process-tree.ts";

/** One large list, read once; counts of attempts beside times, because times vary with the machine. */
export interface Large {
  readonly mails: number;
  readonly wallS: number;
  /** CPU time of all processes and threads. */
  readonly cpuS: number;
  readonly mailsPerSecond: number;
  readonly threadings: number;
  readonly threads: number;
  readonly weighingsPerThread: number;
  readonly summariesPerThread: number;
  /** From the start of reading until the first summary is stored; null: none. */
  readonly firstSummaryS: number | null;
  /** Of all processes together. */
  readonly peakRssMb: number;
  /** Of this process, the embedded database included. */
  readonly mainRssMb: number;
  /** The same place read again, unchanged. */
  readonly againS: number;
  /** CPU time over wall time. */
  readonly coresUsed: number;
  readonly eventLoopP99Ms: number;
  /** Bytes of the data folder after the end, embedded database included, or of the tables on a server. */
  readonly diskBytes: number;
  /** Milliseconds of attempts by stage, for each mail. */
  readonly stageMs: Readonly<Record<string, number>>;
}

export async function measureLarge(database: DatabaseOption | null, place: string): Promise<Large> {
  const data = await mkdtemp(join(tmpdir(), "headway-bench-"));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const consensus = await startConsensus({ data, settings: readSettings({}), ...(database && { database }) });
  let stopped = false;
  try {
    const { counted, spent, first } = countAttempts(consensus.engine);
    const from = performance.now();
    const processes = watchProcessTree();
    const memory = watchMemory();
    delay.enable();
    await feed(consensus, [place]);
    await consensus.engine.settled();
    const wallS = (performance.now() - from) / 1_000;
    delay.disable();
    const { cpuS, peakRssMb } = processes.stop();
    const mainRssMb = memory.stop() / 1e6;
    const again = performance.now();
    await feed(consensus, [place]);
    await consensus.engine.settled();
    const againS = (performance.now() - again) / 1_000;
    const { mails, threads } = await readLedger(consensus.engine.database);
    const tableBytes = database ? await bytesOfTables(consensus.engine.database) : 0;
    await consensus.stop();
    stopped = true;
    const per = (stage: string) => (counted.get(stage) ?? 0) / threads;
    return {
      mails,
      wallS,
      cpuS,
      mailsPerSecond: mails / wallS,
      threadings: counted.get("threading") ?? 0,
      threads,
      weighingsPerThread: per("weighing"),
      summariesPerThread: per("summarizing"),
      firstSummaryS: first.summaryAt && (first.summaryAt - from) / 1_000,
      peakRssMb,
      mainRssMb,
      againS,
      coresUsed: cpuS / wallS,
      eventLoopP99Ms: delay.percentile(99) / 1e6,
      diskBytes: tableBytes + (await bytesBelow(data)),
      stageMs: Object.fromEntries([...spent].map(([stage, ms]) => [stage, ms / mails])),
    };
  } finally {
    if (!stopped) await consensus.stop();
    await rm(data, { recursive: true, force: true });
  }
}

/** Attempts and their milliseconds by stage, from now on. */
function countAttempts(engine: Engine) {
  const counted = new Map<string, number>();
  const spent = new Map<string, number>();
  const first: { summaryAt: number | null } = { summaryAt: null };
  let last = "";
  engine.onSignal((signal) => {
    if (signal.kind !== "task.done") return;
    const { stage, durationMs } = signal;
    counted.set(stage, (counted.get(stage) ?? 0) + 1);
    // Tasks of a batch end together, and each signal carries the duration of the whole batch.
    const batch = `${stage} ${durationMs}`;
    if (batch !== last || durationMs < 1) spent.set(stage, (spent.get(stage) ?? 0) + durationMs);
    last = batch;
    if (stage === "summarizing") first.summaryAt ??= performance.now();
  });
  return { counted, spent, first };
}

/** With indexes and large values, of the engine's schema and the schema for readers. */
async function bytesOfTables(db: Database): Promise<number> {
  const [row] = await db.query<{ bytes: number }>({
    text: `
      select coalesce(sum(pg_total_relation_size(class.oid)), 0)::float8 as bytes
      from pg_class class
      join pg_namespace space on space.oid = class.relnamespace
      where class.relkind in ('r', 'm') and space.nspname in ($1::text, $1::text || '_read')`,
    values: [db.schema],
  });
  return row?.bytes ?? 0;
}

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0;
  return bytes;
}
