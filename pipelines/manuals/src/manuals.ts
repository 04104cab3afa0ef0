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
import { makeManuals } from "./pipeline.ts";
import { type Answer, type Question, searchManuals } from "./search/search.ts";

export interface ManualsOptions {
  /** A folder for PDFs and, unless `database` says otherwise, an embedded database. */
  readonly data: string;
  readonly database?: DatabaseOption;
  readonly broker?: BrokerOption;
  /** Where the bytes of manuals are kept; `database` needs the tables that the consensus pipeline brings. */
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
  stop(): Promise<void>;
}

export async function startManuals(options: ManualsOptions): Promise<Manuals> {
  const { data, onSignal, work = true } = options;
  const pipeline = makeManuals();
  // Stages may begin before startEngine returns, so they wait for the database rather than find it missing.
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
    // A process that only reads is gone in a moment; one that works lets others look on.
    share: work,
    ...(options.broker && { broker: options.broker }),
    ...(onSignal && { onSignal }),
  });
  found(engine.database);
  const embedder = openStaticModel();
  return {
    engine,
    pipeline,
    blobs,
    search: (question) => searchManuals(engine.database, embedder, question),
    async stop() {
      await engine.stop();
      await papers.close();
    },
  };
}
