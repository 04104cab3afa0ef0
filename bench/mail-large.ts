import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { feed, readLedger, readSettings, startConsensus } from "@headway/consensus";
import type { DatabaseOption } from "@headway/engine";
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
  /** Bytes of the data folder: archives, and the embedded database if there is one. */
  readonly diskBytes: number;
  /** Milliseconds of attempts by stage, for each mail. */
  readonly stageMs: Readonly<Record<string, number>>;
}

export async function measureLarge(database: DatabaseOption | null, place: string): Promise<Large> {
  const data = await mkdtemp(join(tmpdir(), "headway-bench-"));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const consensus = await startConsensus({ data, settings: readSettings({}), ...(database && { database }) });
  try {
    const counted = new Map<string, number>();
    const spent = new Map<string, number>();
    const from = performance.now();
    let [firstSummaryS, last]: [number | null, string] = [null, ""];
    consensus.engine.onSignal((signal) => {
      if (signal.kind !== "task.done") return;
      const { stage, durationMs } = signal;
      counted.set(stage, (counted.get(stage) ?? 0) + 1);
      // Tasks of a batch end together, and each signal carries the duration of the whole batch.
      const batch = `${stage} ${durationMs}`;
      if (batch !== last || durationMs < 1) spent.set(stage, (spent.get(stage) ?? 0) + durationMs);
      last = batch;
      if (stage === "summarizing") firstSummaryS ??= (performance.now() - from) / 1_000;
    });
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
      firstSummaryS,
      peakRssMb,
      mainRssMb,
      againS,
      coresUsed: cpuS / wallS,
      eventLoopP99Ms: delay.percentile(99) / 1e6,
      diskBytes: await bytesBelow(data),
      stageMs: Object.fromEntries([...spent].map(([stage, ms]) => [stage, ms / mails])),
    };
  } finally {
    await consensus.stop();
    await rm(data, { recursive: true, force: true });
  }
}

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0;
  return bytes;
}
