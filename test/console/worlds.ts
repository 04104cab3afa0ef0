import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedApp } from "../../cli/src/app/shipped-app.ts";
import { serveOperators } from "../../cli/src/serve-operators.ts";
import { systemConsole } from "../../cli/src/terminal.ts";
import { countSignals, type DatabaseOption, type Engine, startEngine } from "../../engine/src/index.ts";
import type { Operator } from "../../engine/src/operate.ts";
import { openOperator } from "../../engine/src/operate.ts";
import { type Consensus, feed, samplePath } from "../../pipelines/consensus/src/index.ts";
import { feedManuals, type Manuals, sampleManualPath } from "../../pipelines/manuals/src/index.ts";
import { quickConfig } from "../support/own-schema.ts";
import { boxes, makeLetters, moodyPost, type Post } from "../support/post-office.ts";

/** A running application with its console, as `headway up` serves it. */
export interface World {
  readonly url: string;
  /** The data folder. */
  readonly data: string;
  readonly engine: Engine;
  readonly operator: Operator;
  /** A link that enters once, as the operator. */
  entry(): string;
  close(): Promise<void>;
}

export interface LettersWorld extends World {
  readonly post: Post & { readonly fixed: Set<string> };
  bring(id: string, letters: readonly string[], list?: string): Promise<unknown>;
}

type Running = Parameters<typeof serveOperators>[0];

async function serve(app: Running, data: string) {
  const stopping = new AbortController();
  const served = await serveOperators(app, {
    data,
    host: "127.0.0.1",
    port: 0,
    web: true,
    counters: countSignals(),
    stopping: stopping.signal,
    console: { ...systemConsole(), warn: () => undefined },
  });
  return {
    url: served.url,
    data,
    engine: app.engine,
    operator: await openOperator({ database: app.engine.database, actor: "test", pipelines: app.pipelines }),
    entry: () => served.entry() as string,
    async close() {
      stopping.abort();
      await served.close();
      await app.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "headway-console-"));

/** The letters pipeline, worked on by a real engine with quick settings. */
export async function openLetters(database: DatabaseOption, version = "1"): Promise<LettersWorld> {
  const post = moodyPost();
  const pipeline = makeLetters({ version });
  const engine = await startEngine({
    pipelines: [pipeline],
    services: { post },
    database,
    config: quickConfig,
  });
  const app = { engine, pipelines: [pipeline], consensus: null, manuals: null, stop: () => engine.stop() };
  const world = await serve(app, await newFolder());
  return {
    ...world,
    post,
    bring: (id, letters, list = "list-a") =>
      engine.accept(boxes.document(id, { list, letters: [...letters] })),
  };
}

/** Both shipped pipelines with their samples, read to the end. */
export async function openShipped(
  database: DatabaseOption,
  archives: readonly string[] = [],
): Promise<World> {
  const data = await newFolder();
  const app = await shippedApp.start({ data, database, work: true });
  await feed(app.consensus as Consensus, [samplePath(), ...archives]);
  await feedManuals(app.manuals as Manuals, [sampleManualPath()]);
  await app.engine.settled();
  return await serve(app, data);
}
