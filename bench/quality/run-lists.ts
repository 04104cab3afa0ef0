import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Consensus,
  feed,
  type Ledger,
  listThreads,
  readLedger,
  readSettings,
  readStory,
  startConsensus,
  type ThreadStory,
} from "@headway/consensus";
import { corpora, foldersLike } from "./corpora.ts";

/** A list of the corpora after the whole pipeline. */
export interface FinishedList {
  readonly list: string;
  readonly ledger: Ledger;
  readonly stories: readonly ThreadStory[];
}

export interface FinishedRun {
  readonly lists: readonly FinishedList[];
  readonly seconds: number;
  readonly refused: number;
  readonly skipped: number;
}

/** Runs every list folder through the engine with a user's settings, on an embedded database. */
export async function runLists(folders = foldersLike(/^list-(?!twisted-threads)/)): Promise<FinishedRun> {
  const data = await mkdtemp(join(tmpdir(), "headway-quality-"));
  const consensus = await startConsensus({ data, settings: readSettings({}) });
  try {
    const from = performance.now();
    let [refused, skipped] = [0, 0];
    for (const folder of folders) {
      const fed = await feed(consensus, [join(corpora, folder)], { list: folder });
      refused += fed.refused.length;
      skipped += fed.skipped.length;
    }
    await consensus.engine.settled();
    const seconds = (performance.now() - from) / 1_000;
    const lists: FinishedList[] = [];
    for (const list of folders) lists.push(await finish(consensus, list));
    return { lists, seconds, refused, skipped };
  } finally {
    await consensus.stop();
    await rm(data, { recursive: true, force: true });
  }
}

const threadsMax = 100_000;

async function finish({ engine: { database } }: Consensus, list: string): Promise<FinishedList> {
  const lines = await listThreads(database, { list, limit: threadsMax, order: "newest" });
  const stories: ThreadStory[] = [];
  for (const { id } of lines) {
    const story = await readStory(database, id);
    if (story) stories.push(story);
  }
  return { list, ledger: await readLedger(database, list), stories };
}
