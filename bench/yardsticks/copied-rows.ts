import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeGate, startChain } from "../ours/chain-engine.ts";
import { draft } from "../pipeline.ts";
import { serverPrograms } from "../server.ts";

/** COPY of the same document rows into an empty table with the same indexes, by psql: the fastest possible insert. */
export async function copiedRowsPerSecond(url: string, count: number): Promise<number> {
  const programs = serverPrograms();
  if (!programs) throw new Error("there is no psql: install the package postgresql");
  const engine = await startChain({ url }, { work: false });
  const folder = await mkdtemp(join(tmpdir(), "headway-bench-"));
  const file = join(folder, "rows");
  const psql = (text: string) => promisify(execFile)(join(programs, "psql"), ["-XqAt", url, "-c", text]);
  try {
    await makeGate(engine).shut();
    await engine.accept(Array.from({ length: count }, (_, number) => draft(number)));
    await psql("create table copied (like headway.document including all)");
    await psql(`\\copy headway.document to '${file}' (format binary)`);
    const from = performance.now();
    await psql(`\\copy copied from '${file}' (format binary)`);
    return (count / (performance.now() - from)) * 1_000;
  } finally {
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
