import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Consensus, feed, readLedger, readSettings, startConsensus } from "@headway/consensus";
import { type DatabaseOption, type Engine, pipeline, startEngine } from "@headway/engine";
import { readings } from "../pipelines/consensus/src/collections.ts";
import { merging } from "../pipelines/consensus/src/stages/merging.ts";
import { makeThreading } from "../pipelines/consensus/src/stages/threading.ts";
import { median } from "./statistics.ts";

export interface EndToEnd {
  readonly seconds: number;
  readonly mails: number;
  readonly messages: number;
  readonly mailsPerSecond: number;
  /** Share of attempt time, by stage. */
  readonly shares: Readonly<Record<string, number>>;
  readonly loopDelayP99Ms: number;
  /** Peak, above the process's memory before the engine started. */
  readonly rssAddedMb: number;
  /** Peak, above the memory of the started and idle engine, the embedded database included. */
  readonly rssAddedByMailMb: number;
  readonly againSeconds: number;
  readonly againShare: number;
  /** Attempts of the second reading; 0 if nothing is repeated. */
  readonly againAttempts: number;
}

/** Reads the places, waits for all work, and reads the same places again. */
export async function measureEndToEnd(
  database: DatabaseOption | null,
  places: readonly string[],
): Promise<EndToEnd> {
  const data = await mkdtemp(join(tmpdir(), "headway-bench-"));
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const memory = watchMemory();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const consensus = await startConsensus({ data, settings: readSettings({}), ...(database && { database }) });
  try {
    const idle = process.memoryUsage.rss();
    const spent = new Map<string, number>();
    let [attempts, last] = [0, ""];
    consensus.engine.onSignal((signal) => {
      if (signal.kind !== "task.done") return;
      attempts++;
      // Tasks of a batch end together, and each signal carries the duration of the whole batch.
      const batch = `${signal.stage} ${signal.durationMs}`;
      if (batch !== last || signal.durationMs < 1)
        spent.set(signal.stage, (spent.get(signal.stage) ?? 0) + signal.durationMs);
      last = batch;
    });
    delay.enable();
    const seconds = await readAll(consensus, places);
    delay.disable();
    const first = attempts;
    const againSeconds = await readAll(consensus, places);
    const { mails, messages } = await readLedger(consensus.engine.database);
    const peak = memory.stop();
    const all = [...spent.values()].reduce((sum, ms) => sum + ms, 0);
    return {
      seconds,
      mails,
      messages,
      mailsPerSecond: mails / seconds,
      shares: Object.fromEntries([...spent].map(([stage, ms]) => [stage, ms / all])),
      loopDelayP99Ms: delay.percentile(99) / 1e6,
      rssAddedMb: (peak - before) / 1e6,
      rssAddedByMailMb: (peak - idle) / 1e6,
      againSeconds,
      againShare: againSeconds / seconds,
      againAttempts: attempts - first,
    };
  } finally {
    memory.stop();
    await consensus.stop();
    await rm(data, { recursive: true, force: true });
  }
}

async function readAll(consensus: Consensus, places: readonly string[]): Promise<number> {
  const from = performance.now();
  await feed(consensus, places);
  await consensus.engine.settled();
  return (performance.now() - from) / 1_000;
}

/** Peak memory of this process, sampled twenty times a second. */
export function watchMemory(): { stop(): number } {
  let most = process.memoryUsage.rss();
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 50);
  return {
    stop() {
      look();
      clearInterval(timer);
      return most;
    },
  };
}

export interface Growth {
  readonly messages: number;
  readonly firstSeconds: number;
  /** From handing in one more message until its thread is stored, without the list's quiet time; median of five. */
  readonly oneMoreSeconds: number;
}

const quietMs = 300;

/** A list of `messages` generated headers, then one more message, through the real merging and threading. */
export async function measureGrowth(database: DatabaseOption, messages: number): Promise<Growth> {
  const stages = pipeline("growth", { stages: [merging, makeThreading(`${quietMs}ms`)] });
  const engine = await startEngine({ pipelines: [stages], services: {}, database });
  try {
    const from = performance.now();
    const batchSize = 1_000;
    for (let at = 0; at < messages; at += batchSize) {
      const size = Math.min(batchSize, messages - at);
      await engine.accept(Array.from({ length: size }, (_, index) => aReading(at + index)));
    }
    await engine.settled();
    const firstSeconds = (performance.now() - from) / 1_000;
    const times: number[] = [];
    for (let round = 0; round < growthRounds; round++) times.push(await addOne(engine, messages + round));
    const oneMoreSeconds = median(times);
    return { messages, firstSeconds, oneMoreSeconds };
  } finally {
    await engine.stop();
  }
}

const growthRounds = 5;

async function addOne(engine: Engine, number: number): Promise<number> {
  const threaded = new Promise<number>((resolve) => {
    const stop = engine.onSignal((signal) => {
      if (signal.kind !== "task.done" || signal.stage !== "threading") return;
      stop();
      resolve(performance.now());
    });
  });
  const from = performance.now();
  await engine.accept(aReading(number));
  const seconds = ((await threaded) - from - quietMs) / 1_000;
  await engine.settled();
  return seconds;
}

/** Every tenth message opens a thread; the rest reply to an earlier message of the same thread. */
function aReading(number: number) {
  const root = number - (number % 10);
  const parent = number === root ? null : `m${root + Math.floor((number - root) / 2)}@example.org`;
  const text = `This is message ${number} of the list.`;
  return readings.document(`r${number}`, {
    list: "large",
    messageId: `m${number}@example.org`,
    subject: `${parent ? "Re: " : ""}Topic ${root}`,
    from: { name: `Person ${number % 97}`, address: `person${number % 97}@example.org` },
    date: new Date(Date.UTC(2020, 0, 1) + number * 600_000).toISOString(),
    inReplyTo: parent,
    references: parent ? [`m${root}@example.org`, parent] : [],
    listId: null,
    text,
    clean: text,
    removed: [],
    attachments: [],
    flags: [],
    mail: `mail${number}`,
    archive: "large/archive",
  });
}
