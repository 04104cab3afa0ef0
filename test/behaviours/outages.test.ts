import { describe, expect, it } from "vitest";
import { type Engine, type Pipeline, pipeline, service, stage } from "../../engine/src/index.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { copies, manyNotes, notes } from "../fixtures/notes.ts";
import { contentOf, deadLetters, expectAllSettled } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";

const house = useOwnSchema("outages");
const press = service("press").as<{ print(text: string): Promise<string> }>();

/** A stage with a single attempt per document: an attempt burnt by an outage shows as a dead letter. */
const printing = stage("printing", {
  reads: notes,
  writes: [copies],
  needs: [press],
  concurrency: 2,
  retry: { attempts: 1 },
  async *run({ id, text }, { press }) {
    yield copies.document(id, { text: await press.print(text) });
  },
});

const refused = () => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

/** Two engines with a common press. */
async function openTwo(print: (text: string) => string): Promise<{ engines: readonly Engine[] }> {
  const schema = house.fresh();
  const start = () =>
    house.start({
      schema,
      pipelines: [pipeline("printing", { stages: [printing] })] as Pipeline[],
      services: { press: { print: async (text: string) => print(text) } } as never,
    });
  return { engines: [await start(), await start()] };
}

const faultsOf = (engine: Engine) => engine.database.query(sql`select subject, fault from headway.fault`);

describe("an outage of a dependency", { timeout: 60_000 }, () => {
  it("costs nobody an attempt, from its first failure on, however many workers meet it", async () => {
    let down = true;
    const { engines } = await openTwo((text) => {
      if (down) throw refused();
      return text;
    });
    const [one] = engines as [Engine, Engine];
    const opened = new Promise<void>((resolve) => {
      for (const engine of engines) engine.onSignal(({ kind }) => kind === "breaker.opened" && resolve());
    });
    await one.accept(manyNotes(40));
    await opened;
    down = false;
    await one.settled();
    expect(await deadLetters(one.database)).toEqual([]);
    expect(await faultsOf(one)).toEqual([]);
    expect(await contentOf(one.database)).toHaveLength(80);
    await expectAllSettled(one.database);
  });

  it("does not kill a lone document on its last try", async () => {
    let calls = 0;
    const { engines } = await openTwo((text) => {
      calls += 1;
      if (calls < 4) throw refused();
      return text;
    });
    const [one] = engines as [Engine, Engine];
    await one.accept(manyNotes(1));
    await one.settled();
    expect(await deadLetters(one.database)).toEqual([]);
    expect(await faultsOf(one)).toEqual([]);
  });

  it("is over as soon as the dependency is well, although a document that was sent before still hangs", async () => {
    let down = true;
    const print = (text: string): Promise<string> => {
      if (text === "text 0") return new Promise(() => undefined);
      return down ? Promise.reject(refused()) : Promise.resolve(text);
    };
    const engine = await house.start({
      schema: house.fresh(),
      pipelines: [pipeline("printing", { stages: [printing] })] as Pipeline[],
      services: { press: { print } } as never,
      config: { graceMs: 100 },
    });
    const opened = new Promise<void>((resolve) => {
      engine.onSignal(({ kind }) => kind === "breaker.opened" && resolve());
    });
    await engine.accept(manyNotes(1));
    await engine.accept(manyNotes(8).slice(1));
    await opened;
    down = false;
    const done = sql`select 1 from headway.done`;
    await expect.poll(async () => (await engine.database.query(done)).length, { timeout: 20_000 }).toBe(7);
    expect(await deadLetters(engine.database)).toEqual([]);
  });

  it("is no excuse for a document that alone fails while others are served", async () => {
    const { engines } = await openTwo((text) => {
      if (text === "text 7") throw refused();
      return text;
    });
    const [one] = engines as [Engine, Engine];
    // Other documents keep coming, so the press is seen to work between two failures.
    const notes = manyNotes(200);
    for (let from = 0; from < notes.length; from += 10) {
      await one.accept(notes.slice(from, from + 10));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await one.settled();
    expect(await deadLetters(one.database)).toMatchObject([{ reason: "exhausted" }]);
    expect(await faultsOf(one)).toHaveLength(1);
  });
});

describe("an outage of the engine's own database", { timeout: 60_000 }, () => {
  it("costs no document an attempt, though its stage was reading there when it broke", async () => {
    const schema = house.fresh();
    let broken = 0;
    let engine: Engine | null = null;
    const reading = stage("reading", {
      reads: notes,
      writes: [copies],
      retry: { attempts: 1 },
      async *run({ id, text }) {
        if (broken++ < 3) await engine?.database.query(sql`select pg_terminate_backend(pg_backend_pid())`);
        yield copies.document(id, { text });
      },
    });
    engine = await house.start({
      schema,
      pipelines: [pipeline("reading", { stages: [reading] })],
      services: {},
    });
    await engine.accept(manyNotes(5));
    await engine.settled();
    expect(broken).toBeGreaterThan(5);
    expect(await deadLetters(engine.database)).toEqual([]);
    expect(await faultsOf(engine)).toEqual([]);
  });

  it("is not waited for without end by a document whose own question breaks it", async () => {
    let engine: Engine | null = null;
    const breaking = stage("breaking", {
      reads: notes,
      writes: [copies],
      retry: { "rate-limited": { attempts: 3, initial: "50ms", max: "50ms" } },
      // biome-ignore lint/correctness/useYield: it never gets that far.
      async *run() {
        await engine?.database.query(sql`select pg_terminate_backend(pg_backend_pid())`);
      },
    });
    engine = await house.start({
      schema: house.fresh(),
      pipelines: [pipeline("breaking", { stages: [breaking] })],
      services: {},
    });
    await engine.accept(manyNotes(1));
    await engine.settled();
    expect(await deadLetters(engine.database)).toMatchObject([{ reason: "exhausted" }]);
  });
});
