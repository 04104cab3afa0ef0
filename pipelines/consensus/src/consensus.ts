import { join } from "node:path";
import {
  type BrokerOption,
  type Database,
  type DatabaseOption,
  type Engine,
  openReader,
  type Reader,
  type Signal,
  startEngine,
} from "@headway/engine";
import type { Blobs } from "@headway/intake";
import { openBlobs } from "@headway/intake";
import type { Embedder } from "@headway/text";
import { openEmbedder, vectorText } from "@headway/text";
import { makeLibrary } from "./library/library.ts";
import { type Hit, type Query, search } from "./library/search.ts";
import { enableMeaning, findMeaning, type Meaning } from "./library/vectors.ts";
import { consensusMigrations, makeConsensus } from "./pipeline.ts";
import { receiveArchives } from "./receive.ts";
import type { Settings } from "./settings.ts";
import { openSummarizer } from "./summary/choose.ts";

export interface ConsensusOptions {
  /** Folder for archives, unless kept in the database, and, without `database`, for an embedded database. */
  readonly data: string;
  readonly database?: DatabaseOption;
  /** RabbitMQ for notifications, and for events from and to other services. */
  readonly broker?: BrokerOption;
  readonly settings: Settings;
  /** False: this process only reads. */
  readonly work?: boolean;
  /** Stages to run; all by default. */
  readonly stages?: readonly string[];
  readonly onSignal?: (signal: Signal) => void;
  /** Address for other processes. */
  readonly share?: { readonly port: number; readonly host?: string };
}

/** The consensus pipeline, running. */
export interface Consensus {
  readonly engine: Engine;
  readonly pipeline: ReturnType<typeof makeConsensus>;
  readonly blobs: Blobs;
  /** Whether search by meaning is available, or only by words. */
  readonly meaning: Meaning;
  search(query: Omit<Query, "meaning">): Promise<Hit[]>;
  stop(): Promise<void>;
}

/** What the pipeline has made, for a process that only looks. */
export interface ConsensusReader extends Pick<Consensus, "meaning" | "search" | "stop"> {
  readonly engine: Reader;
}

/** Opens what is there without a worker: nothing is registered, migrated or written. */
export async function openConsensus({
  data,
  database = { folder: data },
  settings,
}: Pick<ConsensusOptions, "data" | "database" | "settings">): Promise<ConsensusReader> {
  const embedder = await embedderOf(settings);
  const tables = { name: "consensus", migrations: consensusMigrations };
  const engine = await openReader({ database, pipelines: [tables] });
  const meaning = await findMeaning(engine.database);
  return {
    engine,
    meaning,
    search: async (query) =>
      await search(engine.database, { ...query, meaning: await meaningOf(query.words, meaning, embedder) }),
    stop: engine.stop,
  };
}

const embedderOf = (settings: Settings): Promise<Embedder> =>
  openEmbedder({
    embedder: settings.embedder,
    ...(settings.embedderModel && { model: settings.embedderModel }),
    ...(settings.embedderKey && { apiKey: settings.embedderKey }),
  });

/** The pipeline exactly as the settings make it, with the models that its stages name. */
export async function describeConsensus(settings: Settings) {
  const { listQuiet, threadQuiet } = settings;
  const embedder = await embedderOf(settings);
  const summarizer = openSummarizer(settings);
  const pipeline = makeConsensus({ embedder, summarizer, listQuiet, threadQuiet });
  return { embedder, summarizer, pipeline };
}

export async function startConsensus(options: ConsensusOptions): Promise<Consensus> {
  const { data, settings, onSignal, work = true } = options;
  const { embedder, summarizer, pipeline } = await describeConsensus(settings);
  // Stages may start before startEngine returns, so they await the database.
  let found: (database: Database) => void = () => undefined;
  const opened = new Promise<Database>((resolve) => (found = resolve));
  const library = makeLibrary(opened);
  const option = options.database ?? { folder: data };
  const blobs = await openBlobs({ folder: join(data, "blobs"), database: opened, option, settings });
  let ready: (consensus: Consensus) => void = () => undefined;
  const whole = new Promise<Consensus>((resolve) => (ready = resolve));
  const engine = await startEngine({
    pipelines: [pipeline],
    services: { blobs, library, embedder, summarizer },
    database: option,
    work,
    // A reading process ends in a moment; a working process shares its database.
    share: options.share ?? work,
    ...(options.broker && { broker: options.broker }),
    receives: [receiveArchives(whole, settings.inbox)],
    ...(options.stages && { stages: options.stages }),
    ...(onSignal && { onSignal }),
  });
  found(engine.database);
  const meaning = await enableMeaning(engine.database);
  const consensus: Consensus = {
    engine,
    pipeline,
    blobs,
    meaning,
    search: async (query) =>
      await search(engine.database, { ...query, meaning: await meaningOf(query.words, meaning, embedder) }),
    stop: () => engine.stop(),
  };
  ready(consensus);
  return consensus;
}

async function meaningOf(words: string, meaning: Meaning, embedder: Embedder): Promise<Query["meaning"]> {
  if (meaning.kind === "missing") return null;
  const [vector] = await embedder.embed([words]);
  return vector ? { vector: vectorText(vector), model: embedder.model } : null;
}
