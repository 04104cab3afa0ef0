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
import { type Blobs, hasBlobTables, openBlobs } from "@headway/intake";
import { openStaticModel } from "@headway/text";
import { openPapers } from "./ingest/papers.ts";
import { ocrLanguages, ocrSetting, openOcr } from "./ocr/ocr.ts";
import type { Box } from "./pdf/upright.ts";
import { openPagePictures, type PagePicture } from "./pictures/page-pictures.ts";
import { type PageQuestion, picturePage } from "./pictures/picture-page.ts";
import { makeManuals, manualsMigrations } from "./pipeline.ts";
import { type Answer, type Question, searchManuals } from "./search/search.ts";

/** Location of manuals' bytes. `auto`: in the database on a server with tables for bytes, else in the folder. */
export type ManualsBlobs = "auto" | "folder" | "database";

export interface ManualsOptions {
  /** A folder for PDFs and, unless `database` says otherwise, an embedded database. */
  readonly data: string;
  readonly database?: DatabaseOption;
  readonly broker?: BrokerOption;
  readonly blobs?: ManualsBlobs;
  /** False: this process only reads. */
  readonly work?: boolean;
  readonly onSignal?: (signal: Signal) => void;
}

/** The pipeline with everything that its stages need. */
export interface ManualsPipeline extends ReturnType<typeof bringManuals> {
  readonly blobs: ManualsBlobs;
}

/** The manuals pipeline, running. */
export interface Manuals {
  readonly engine: Engine;
  readonly pipeline: ManualsPipeline;
  readonly blobs: Blobs;
  search(question: Question): Promise<Answer>;
  /** A page as a PNG, painted in another process; null: there is no such manual. */
  picture(question: PageQuestion): Promise<(PagePicture & { readonly marks: readonly Box[] }) | null>;
  stop(): Promise<void>;
}

/** Results of the pipeline, for a process that only looks. */
export interface ManualsReader extends Pick<Manuals, "search" | "picture" | "stop"> {
  readonly engine: Reader;
}

/** Opens existing results without a worker: nothing is registered, migrated or written. */
export async function openManuals(place: ManualsPlace): Promise<ManualsReader> {
  const tables = { name: "manuals", migrations: manualsMigrations };
  const engine = await openReader({ database: place.database, pipelines: [tables] });
  const blobs = await openManualBlobs(engine.database, { ...place, blobs: "auto" });
  return { engine, ...openReading(engine, blobs) };
}

/** Questions about manuals; `stop` also stops the engine or reader. */
function openReading(
  { database, stop }: Pick<Reader, "database" | "stop">,
  blobs: Blobs,
): Pick<Manuals, "search" | "picture" | "stop"> {
  const embedder = openStaticModel();
  const papers = openPapers(blobs);
  const pictures = openPagePictures(papers);
  return {
    search: (question) => searchManuals(database, embedder, question),
    picture: (question) => picturePage(database, pictures, question),
    async stop() {
      pictures.close();
      await stop();
      await papers.close();
    },
  };
}

/** The database, and the folder of files beside. */
export interface ManualsPlace {
  readonly data: string;
  readonly database: DatabaseOption;
}

/**
 * The manuals pipeline for `defineApp` or `startEngine`, with its services.
 *
 * @example
 * import { defineApp } from "@headway/engine";
 * import { manuals } from "@headway/manuals";
 *
 * export default defineApp({ pipelines: [manuals()] });
 */
export function manuals({ blobs = "auto" }: { readonly blobs?: ManualsBlobs } = {}): ManualsPipeline {
  return Object.freeze({ ...bringManuals(blobs), blobs });
}

/** Whether a pipeline of an application was made by `manuals()`. */
export const isManuals = (pipeline: Pipeline): pipeline is ManualsPipeline =>
  pipeline.name === "manuals" && "blobs" in pipeline;

const bringManuals = (blobs: ManualsBlobs) => {
  const reader = openOcr(ocrSetting(process.env), ocrLanguages(process.env));
  return bringing(makeManuals({ ocr: reader !== null }), {
    async services({ database, data, option, onStop }) {
      const papers = openPapers(await openManualBlobs(database, { data, database: option, blobs }));
      const painter = openPagePictures(papers);
      onStop(async () => {
        painter.close();
        await papers.close();
      });
      return { papers, painter, ...(reader && { ocr: reader }) };
    },
  });
};

async function openManualBlobs(
  database: Database,
  { data, database: option, blobs }: ManualsPlace & { readonly blobs: ManualsBlobs },
): Promise<Blobs> {
  const kind = blobs === "auto" && !(await hasBlobTables(database)) ? "folder" : blobs;
  return await openBlobs({
    folder: join(data, "blobs"),
    database: Promise.resolve(database),
    option,
    settings: { blobs: kind },
  });
}

/** The manuals pipeline of a running engine, perhaps with other pipelines beside. */
export async function attachManuals(
  engine: Engine,
  pipeline: ManualsPipeline,
  place: ManualsPlace,
): Promise<Manuals> {
  const blobs = await openManualBlobs(engine.database, { ...place, blobs: pipeline.blobs });
  return { engine, pipeline, blobs, ...openReading(engine, blobs) };
}

/** An engine with the manuals pipeline alone. */
export async function startManuals(options: ManualsOptions): Promise<Manuals> {
  const { data, blobs, work = true, database = { folder: data }, ...rest } = options;
  const pipeline = manuals(blobs === undefined ? {} : { blobs });
  // A reading process ends in a moment; a working process shares its database.
  const given = { ...rest, data, database, work, share: work };
  const engine = await startEngine({ ...given, pipelines: [pipeline], services: {} });
  return await attachManuals(engine, pipeline, { data, database });
}
