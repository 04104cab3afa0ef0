import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { run } from "../../cli/src/run.ts";
import { type Baseline, keepBaselines, migrateAll, readBaselines } from "../../engine/src/internal.ts";
import { openDatabase } from "../../engine/src/operate.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { makeCollectingConsole } from "../consensus/collecting-console.ts";
import { useOwnSchema } from "../support/own-schema.ts";

const postgres = useOwnSchema("bench_command");
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "headway-bench-test-"));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

async function bench(...words: readonly string[]) {
  const console = makeCollectingConsole();
  const code = await run(["bench", "--quick", ...words], console);
  return { code, out: console.out(), err: console.err() };
}

/** An old result of a slow engine, on the documents of a quick run. */
const slowRun = (environment: string): Baseline => ({
  run: randomUUID(),
  at: new Date("2026-01-01T10:00:00Z"),
  test: "engine",
  documentSet: "200 generated documents of 1 KB",
  commit: "abc1234",
  environment,
  figure: "throughput",
  samples: [0.5, 0.51, 0.49],
  machine: { cores: 1 },
});

async function withLedger<T>(schema: string, act: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ url: postgres.url, schema }, { poolMax: 1 });
  try {
    await migrateAll(database, []);
    return await act(database);
  } finally {
    await database.close();
  }
}

const schemasIn = async (): Promise<number> => {
  const text = "select count(*) as schemas from pg_namespace where nspname like 'headway_scratch_%'";
  const [row] = await postgres.direct.query<{ schemas: number }>({ text, values: [] });
  return row?.schemas ?? 0;
};

describe("headway bench", { timeout: 120_000 }, () => {
  const everywhere = [
    ...["throughput", "seconds", "cpuSeconds", "memoryMb", "memory with processes MB"],
    ...["queries", "query seconds", "slowest query ms", "transactions", "rowsWritten", "walMb"],
  ];

  it.each([
    [
      "the sample archive on a server",
      "consensus",
      ["parsing ms", "threading ms", "summarizing ms", "calls of embedder", "calls of embedder ms"],
    ],
    ["the engine on the embedded database", "engine", ["drafting ms", "proofing ms"]],
    [
      "a generated manual on the embedded database",
      "manuals-50",
      ["opening ms", "reading ms", "harvesting ms", "slow queries", "diskReadMb"],
    ],
  ])("measures %s, stage by stage", async (_, test, stages) => {
    const url = `${postgres.url}?schema=${postgres.fresh()}`;
    const where = test === "consensus" ? ["--database", url] : ["--data", folder];
    const { code, out } = await bench("--only", test, "--repetitions", "1", ...where, "--json");
    expect(code).toBe(0);
    const lines = out.trim().split("\n");
    const rows = lines.map((line) => JSON.parse(line) as Baseline);
    const figures = new Map(rows.map(({ figure, samples }) => [figure, samples[0] as number]));
    for (const name of everywhere) expect(figures.get(name), name).toBeGreaterThan(0);
    // A copying stage may be done before a millisecond clock moves.
    for (const name of stages) expect(figures.get(name), name).toBeGreaterThanOrEqual(0);
  });

  it("tells a change against the last run of the same environment, and leaves no schema behind", async () => {
    const schema = postgres.fresh();
    const before = await schemasIn();
    await withLedger(schema, (database) =>
      keepBaselines(database, [slowRun("laptop"), slowRun("elsewhere")]),
    );
    const url = `${postgres.url}?schema=${schema}`;
    const compared = ["--only", "engine", "--repetitions", "2", "--database", url];
    const { code, out, err } = await bench(...compared, "--environment", "laptop");
    expect(code).toBe(0);
    expect(out).toMatch(/engine +throughput .*%.* to .*, better/);
    expect(err).toContain("Compared with commit abc1234 of 2026-01-01T10:00: nothing became worse.");
    const alone = await bench(...compared, "--environment", "new");
    expect(alone.err).toContain("this is the first run here");
    expect(await schemasIn()).toBe(before);
  });

  it("refuses production, whoever says that it is: the variable, the option or the database", async () => {
    const sentence = "benchmarks never run there";
    vi.stubEnv("HEADWAY_ENVIRONMENT", "production");
    expect(await bench("--data", folder)).toMatchObject({ code: 1, out: "" });
    vi.unstubAllEnvs();
    expect((await bench("--data", folder, "--environment", "Production")).err).toContain(sentence);
    const name = postgres.fresh();
    const say = (text: string) => postgres.direct.query({ text, values: [] });
    await say(`create database ${name}`);
    try {
      // Quoted, because a plain `headway.` would be replaced by the schema.
      await say(`alter database ${name} set "headway"."environment" = 'production'`);
      const url = new URL(postgres.url);
      url.pathname = `/${name}`;
      const refused = await bench("--database", url.href, "--environment", "laptop");
      expect(refused).toMatchObject({ code: 1, out: "" });
      expect(refused.err).toContain(sentence);
    } finally {
      await say(`drop database ${name} with (force)`);
    }
  });

  it("a group is named by its first word", async () => {
    const { out } = await bench("--data", folder, "--only", "manuals", "--dry-run");
    expect(out).toContain("Would run manuals-50 and manuals-200 and manuals-1116");
  });

  it("a test that does not exist is wrong usage", async () => {
    const { code, err } = await bench("--data", folder, "--only", "everything");
    expect(code).toBe(2);
    expect(err).toContain("there are: engine, consensus, manuals-50, manuals-200, manuals-1116.");
  });
});

describe("baselines", () => {
  it("the newest samples of each figure are found again, by environment", async () => {
    await withLedger(postgres.fresh(), async (database) => {
      const old = slowRun("laptop");
      const fresh = { ...slowRun("laptop"), samples: [1, 2.5], commit: "def5678" };
      await keepBaselines(database, [old, { ...old, figure: "seconds" }, slowRun("elsewhere")]);
      await keepBaselines(database, [fresh]);
      const found = await readBaselines(database, "laptop");
      expect(found).toHaveLength(2);
      expect(found.find(({ figure }) => figure === "throughput")).toEqual(fresh);
      expect(found.find(({ figure }) => figure === "seconds")?.samples).toEqual(old.samples);
    });
  });
});
