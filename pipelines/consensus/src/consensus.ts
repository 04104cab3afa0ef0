import { join } from "node:path";
import {
  type BrokerOption,
  bringing,
  type Database,
  type DatabaseOption,
  type Engine,
  openReader,
  type Pipeline,
  type Reader,
  type Signal,
  startEngine,
} from "@headway/engine";
import type { Blobs } from "@headway/intake";
import { openBlobs } from "@headway/intake";
import {
  describeEmbedder,
  type Embedder,
  type EmbedderSettings,
  openEmbedder,
  vectorText,
} from "@headway/text";
import { consensusDrill } from "./drill.ts";
import { type Hit, type Query, search } from "./library/search.ts";
import { findMeaning, type Meaning } from "./library/vectors.ts";
import { consensusMigrations, makeConsensus } from "./pipeline.ts";
import { receiveArchives } from "./receive.ts";
import { readSettings, type Settings } from "./settings.ts";
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
  readonly pipeline: ConsensusPipeline;
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

const embedderSettings = (settings: Settings): EmbedderSettings => ({
  embedder: settings.embedder,
  ...(settings.embedderModel && { model: settings.embedderModel }),
  ...(settings.embedderKey && { apiKey: settings.embedderKey }),
});

const embedderOf = (settings: Settings): Promise<Embedder> => openEmbedder(embedderSettings(settings));

/** The pipeline with these settings, and all services of its stages. */
export interface ConsensusPipeline extends ReturnType<typeof bringConsensus> {
  readonly settings: Settings;
}

/**
 * The consensus pipeline for `defineApp` or `startEngine`, with its services; by default with the settings of the
 * environment.
 *
 * @example
 * import { consensus } from "@headway/consensus";
 * import { defineApp } from "@headway/engine";
 *
 * export default defineApp({ pipelines: [consensus()] });
 */
export function consensus(settings: Settings = readSettings(process.env)): ConsensusPipeline {
  return Object.freeze({ ...bringConsensus(settings), settings });
}

/** Whether a pipeline of an application was made by `consensus()`. */
export const isConsensus = (pipeline: Pipeline): pipeline is ConsensusPipeline =>
  pipeline.name === "consensus" && "settings" in pipeline;

function bringConsensus(settings: Settings) {
  const { listQuiet, threadQuiet, inbox } = settings;
  const summarizer = openSummarizer(settings);
  const embedder = describeEmbedder(embedderSettings(settings));
  const plain = makeConsensus({ embedder, summarizer, listQuiet, threadQuiet });
  return bringing(plain, {
    async services({ database, data, option }) {
      const blobs = await openArchiveBlobs({ data, database, option, settings });
      return { blobs, embedder: await embedderOf(settings), summarizer };
    },
    receives(engine, { data, option }) {
      const own = engine.then((running) =>
        attachConsensus(running, consensus(settings), { data, database: option }),
      );
      return [receiveArchives(own, inbox)];
    },
    drill: consensusDrill,
  });
}

const openArchiveBlobs = (given: {
  readonly data: string;
  readonly database: Database;
  readonly option: DatabaseOption;
  readonly settings: Settings;
}): Promise<Blobs> =>
  openBlobs({
    folder: join(given.data, "blobs"),
    database: Promise.resolve(given.database),
    option: given.option,
    settings: given.settings,
  });

/** The consensus pipeline of a running engine, perhaps with other pipelines beside. */
export async function attachConsensus(
  engine: Engine,
  pipeline: ConsensusPipeline,
  { data, database: option }: { readonly data: string; readonly database: DatabaseOption },
): Promise<Consensus> {
  const { settings } = pipeline;
  const { database } = engine;
  const blobs = await openArchiveBlobs({ data, database, option, settings });
  const meaning = await findMeaning(database);
  let embedder: Promise<Embedder> | null = null;
  return {
    engine,
    pipeline,
    blobs,
    meaning,
    async search(query) {
      embedder ??= embedderOf(settings);
      return await search(database, {
        ...query,
        meaning: await meaningOf(query.words, meaning, await embedder),
      });
    },
    stop: () => engine.stop(),
  };
}

/** An engine with the consensus pipeline alone. */
export async function startConsensus(options: ConsensusOptions): Promise<Consensus> {
  const { data, settings, work = true, database = { folder: data }, ...rest } = options;
  const pipeline = consensus(settings);
  const engine = await startEngine({
    ...rest,
    pipelines: [pipeline],
    services: {},
    data,
    database,
    work,
    // A reading process ends in a moment; a working process shares its database.
    share: options.share ?? work,
  });
  return await attachConsensus(engine, pipeline, { data, database });
}

async function meaningOf(words: string, meaning: Meaning, embedder: Embedder): Promise<Query["meaning"]> {
  if (meaning.kind === "missing") return null;
  const [vector] = await embedder.embed([words]);
  return vector ? { vector: vectorText(vector), model: embedder.model } : null;
}
