import { z } from "zod";
import { collection, pipeline, stage, startEngine } from "../engine/src/index.ts";
import { onOwnDatabase, onServer } from "./server.ts";

/**
 * Bytes per document in each table: `tsx bench/table-sizes.ts 100000 1000000`. Pages of about a thousand
 * letters, each with a digest of two hundred, both counted; every size is measured after VACUUM. Also the duration
 * of a sweep.
 */
async function main(): Promise<void> {
  const sizes = process.argv.slice(2).map(Number);
  if (sizes.length === 0 || !sizes.every((size) => size > 0)) throw new Error("Name sizes: 100000 1000000.");
  await onOwnDatabase(async (url) => {
    let pagesNow = 0;
    for (const size of sizes) {
      const pagesWanted = size / 2;
      await withEngine(url, false, (engine) => handIn(engine, pagesNow, pagesWanted));
      pagesNow = pagesWanted;
      await show(url, `${size} documents wanted, half of them handed in, their tasks owed`);
      await withEngine(url, true, (engine) => engine.settled());
      await show(url, `${size} documents, all done`);
      await withEngine(url, false, timeSweep);
    }
  });
}

const pages = collection("pages", z.object({ text: z.string() }));
const digests = collection("digests", z.object({ text: z.string() }));
const digesting = stage("digesting", {
  reads: pages,
  writes: [digests],
  announces: { done: "PageDigested" },
  *run(page) {
    yield digests.document(page.id, { text: page.text.slice(0, 200) });
  },
});

type Engine = Awaited<ReturnType<typeof startEngine>>;

async function withEngine(url: string, work: boolean, act: (engine: Engine) => Promise<void>): Promise<void> {
  const pipelines = [pipeline("sizes", { stages: [digesting] })];
  const engine = await startEngine({ pipelines, services: {}, database: { url }, work });
  try {
    await act(engine);
  } finally {
    await engine.stop();
  }
}

const batchSize = 1_000;

async function handIn(engine: Engine, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += batchSize) {
    const batch = Array.from({ length: Math.min(batchSize, to - first) }, (_, index) =>
      pages.document(`page/${first + index}`, { text: textOf(first + index) }),
    );
    await engine.accept(batch);
  }
}

/** Words different on each page, to compress about as badly as prose. */
function textOf(seed: number): string {
  let state = seed + 1;
  let text = "";
  while (text.length < 1_000) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += `${state.toString(36)} `;
  }
  return text;
}

async function timeSweep(engine: Engine): Promise<void> {
  const from = performance.now();
  await engine.sweep();
  console.log(`a sweep that finds nothing: ${((performance.now() - from) / 1_000).toFixed(1)} s`);
}

async function show(url: string, when: string): Promise<void> {
  const rows = await onServer(async (client) => {
    await client.query("vacuum (analyze)");
    const { rows: found } = await client.query<{
      name: string;
      rows: number;
      heap: number;
      indexes: number;
    }>(`
      select c.relname as name, c.reltuples::float8 as rows,
        pg_table_size(c.oid)::float8 as heap, pg_indexes_size(c.oid)::float8 as indexes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'headway' and c.relkind = 'r' and c.reltuples >= 1000
      order by pg_total_relation_size(c.oid) desc`);
    return found;
  }, url);
  console.log(`\n${when}`);
  for (const { name, rows: count, heap, indexes } of rows) {
    const each = (bytes: number) => `${(bytes / count).toFixed(0)}`;
    console.log(
      `${name.padEnd(12)} ${count} rows, ${each(heap)} bytes a row + ${each(indexes)} of indexes, ${((heap + indexes) / 1e6).toFixed(1)} MB`,
    );
  }
}

await main();
