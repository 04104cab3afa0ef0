import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { type Pipeline, sql, startEngine } from "../../engine/src/index.ts";
import { readDeclaration, sources, writeSource } from "../../intake/src/index.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { until } from "../support/waiting.ts";

const postgres = useOwnSchema("thousand");
const folder = mkdtempSync(join(tmpdir(), "headway-thousand-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const count = 1_000;

describe("a thousand sources and two workers", () => {
  it("run on schedule: none is lost, doubled or left behind", async () => {
    const schema = postgres.fresh();
    const database = { url: postgres.url, schema };
    const read: string[] = [];
    const start = (name: string) => {
      const pipeline = sources();
      pipeline.attach({
        consensus: {
          async places([place]) {
            read.push(String(place));
            return { new: 1, unchanged: 0, bytes: 1, skipped: [], refused: [] };
          },
        },
      });
      return startEngine({
        pipelines: [pipeline as Pipeline],
        database,
        data: join(folder, name),
        services: {},
      });
    };
    const first = await start("first");
    const direct = await openPostgres(database);
    const now = new Date();
    const { spec: common } = readDeclaration({ place: folder, every: "20s" });
    for (let at = 0; at < count; at++) {
      const name = `source-${at}`;
      const spec = { ...common, place: join(folder, name) };
      await writeSource(direct, { name, spec, origin: "operator", by: "a test", now, nextAt: now });
    }
    const second = await start("second");
    const runs = () =>
      direct.query<{ source: string; run: number; state: string }>(sql`
        select d.body ->> 'source' as source, (d.body ->> 'run')::int as run, t.state
        from headway_read.source_runs d
        join headway_read._tasks t on t.collection = 'source_runs' and t.document = d.id`);
    try {
      await until(
        async () => (await runs()).filter(({ run, state }) => run === 3 && state === "done").length,
        (third) => third >= count,
        110_000,
      );
    } finally {
      await Promise.all([first.stop(), second.stop()]);
    }
    const ended = (await runs()).filter(({ state }) => state === "done");
    const ofEach = new Map<string, number[]>();
    for (const { source, run } of ended) ofEach.set(source, [...(ofEach.get(source) ?? []), run]);
    // Every number once, without a gap: no run was lost and none was made twice.
    const odd = [...ofEach].filter(([, numbers]) => {
      const sorted = numbers.sort((a, b) => a - b);
      return sorted.some((number, at) => number !== at + 1);
    });
    expect(odd).toEqual([]);
    expect(ofEach.size).toBe(count);
    const lengths = [...ofEach.values()].map(({ length }) => length);
    // No source is served much more often than the rest.
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(2);
    const reads = new Map<string, number>();
    for (const place of read) reads.set(place, (reads.get(place) ?? 0) + 1);
    // A run of a stopped worker is repeated at most once; nothing else is read twice.
    const tooOften = [...ofEach].filter(
      ([name, numbers]) => (reads.get(join(folder, name)) ?? 0) > numbers.length + 1,
    );
    expect(tooOften).toEqual([]);
    await direct.close();
  });
});
