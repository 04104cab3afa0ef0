import { join } from "node:path";
import {
  type BrokerOption,
  type Database,
  type DatabaseOption,
  type Engine,
  type Signal,
  startEngine,
} from "@headway/engine";
import { type Blobs, openBlobs } from "@headway/intake";
import { openStaticModel } from "@headway/text";
import { openPapers } from "./ingest/papers.ts";
import { makeShelf } from "./library/shelf.ts";
import type { Box } from "./pdf/upright.ts";
import { openPagePictures, type PagePicture } from "./pictures/page-pictures.ts";
import { type PageQuestion, picturePage } from "./pictures/picture-page.ts";
import { makeManuals } from "./pipeline.ts";
import { type Answer, type Question, searchManuals } from "./search/search.ts";

export interface ManualsOptions {
  /** A folder for PDFs and, unless `database` says otherwise, an embedded database. */
  readonly data: string;
  readonly database?: DatabaseOption;
  readonly broker?: BrokerOption;
  /** Location of manuals' bytes; `database` needs the tables of the consensus pipeline. */
  readonly blobs?: "folder" | "database";
  /** False: this process only reads. */
  readonly work?: boolean;
  readonly onSignal?: (signal: Signal) => void;
}

/** The manuals pipeline, running. */
export interface Manuals {
  readonly engine: Engine;
  readonly pipeline: ReturnType<typeof makeManuals>;
  readonly blobs: Blobs;
  search(question: Question): Promise<Answer>;
  /** A page as a PNG, painted in another process; null: there is no such manual. */
  picture(question: PageQuestion): Promise<(PagePicture & { readonly marks: readonly Box[] }) | null>;
  stop(): Promise<void>;
}

export async function startManuals(options: ManualsOptions): Promise<Manuals> {
  const { data, onSignal, work = true } = options;
  const pipeline = makeManuals();
  // Stages may start before startEngine returns, so they await the database.
  let found: (database: Database) => void = () => undefined;
  const opened = new Promise<Database>((resolve) => (found = resolve));
  const option = options.database ?? { folder: data };
  const blobs = await openBlobs({
    folder: join(data, "blobs"),
    database: opened,
    option,
    settings: { blobs: options.blobs ?? "folder" },
  });
  const papers = openPapers(blobs);
  const engine = await startEngine({
    pipelines: [pipeline],
    services: { papers, shelf: makeShelf(opened) },
    database: option,
    work,
    // A reading process ends in a moment; a working process shares its database.
    share: work,
    ...(options.broker && { broker: options.broker }),
    ...(onSignal && { onSignal }),
  });
  found(engine.database);
  const embedder = openStaticModel();
  const pictures = openPagePictures(papers);
  return {
    engine,
    pipeline,
    blobs,
    search: (question) => searchManuals(engine.database, embedder, question),
    picture: (question) => picturePage(engine.database, pictures, question),
    async stop() {
      pictures.close();
      await engine.stop();
      await papers.close();
    },
  };
}
