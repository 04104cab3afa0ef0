import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Pipeline, startEngine } from "../engine/src/index.ts";
import { openFolderBlobs } from "../intake/src/folder-blobs.ts";
import { keepArchive, type makeConsensusParts } from "./archives.ts";
import { contentOf } from "./content.ts";
import type { Handed } from "./feeder.ts";
import { askServices, startOracle } from "./oracle.ts";
import { parcelOf } from "./parcels.ts";

export interface ReferenceParts {
  readonly seed: number;
  readonly url: string;
  readonly pipelines: readonly Pipeline[];
  readonly consensus: Pick<ReturnType<typeof makeConsensusParts>, "embedder" | "summarizer">;
  /** Final documents, in their last version. */
  readonly handed: readonly Handed[];
}

const schema = "reference";

/** Result of a fault-free run on the same documents: one process, no interference. */
export async function runQuietly(parts: ReferenceParts): Promise<Map<string, string>> {
  const { seed, url, pipelines, consensus, handed } = parts;
  const folder = await mkdtemp(join(tmpdir(), "headway-quiet-"));
  const oracle = await startOracle();
  oracle.mended = true;
  const blobs = await openFolderBlobs(folder);
  const engine = await startEngine({
    pipelines,
    services: {
      ...askServices(oracle.url),
      fuse: { blow: () => undefined },
      blobs,
      ...consensus,
    } as never,
    database: { url, schema },
    config: { slots: 100, pollMs: 100, controlsMs: 200, poolMax: 8 },
  });
  try {
    const parcels = handed.filter((one) => one.collection === "parcels");
    await engine.accept(parcels.map(({ number, version }) => parcelOf(seed, number, version)));
    for (const { number, version } of handed.filter((one) => one.collection === "archives"))
      await engine.accept(await keepArchive(blobs, number, version));
    await engine.settled();
    return await contentOf(engine.database);
  } finally {
    await engine.stop();
    await oracle.close();
    await rm(folder, { recursive: true, force: true });
  }
}
