import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Engine } from "../../engine/src/engine-options.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { virtualClock } from "../../engine/src/testing.ts";
import { lettersPipeline, manyLetters } from "../fixtures/letters.ts";
import { openCluster } from "../support/cluster.ts";
import { contentOf, expectAllSettled } from "../support/content.ts";
import { type Gate, openGate } from "../support/gate.ts";
import { named, useOwnSchema } from "../support/own-schema.ts";
import { startWorkerProcess, type WorkerProcess } from "../support/worker-processes.ts";

const postgres = useOwnSchema("connections");
const processes: WorkerProcess[] = [];
const gates: Gate[] = [];
afterEach(async () => {
  for (const one of processes.splice(0)) one.child.kill("SIGKILL");
  for (const gate of gates.splice(0)) await gate.close();
});

const startOn = (url: string, schema: string, work = true): Promise<Engine> =>
  postgres.start({ schema, url, pipelines: [lettersPipeline()], services: {}, work });

async function gateTo(url: string): Promise<Gate> {
  const gate = await openGate(url);
  gates.push(gate);
  return gate;
}

const quiet = new Map<number, Promise<string[]>>();

/** What a run without any fault leaves behind; made once for each number of letters. */
function undisturbed(count: number): Promise<string[]> {
  const made = quiet.get(count) ?? runQuietly(count);
  quiet.set(count, made);
  return made;
}

async function runQuietly(count: number): Promise<string[]> {
  const engine = await startOn(postgres.url, postgres.fresh());
  await engine.accept(manyLetters(count));
  await engine.settled();
  const content = await contentOf(engine.database);
  await engine.stop();
  return content;
}

async function expectLikeQuietRun(watcher: Engine, count: number): Promise<void> {
  await watcher.settled();
  await expectAllSettled(watcher.database);
  expect(await contentOf(watcher.database)).toEqual(await undisturbed(count));
}

describe("connections that break", () => {
  // The one-statement commit of fresh results, the end of a transaction, and the claiming of tasks.
  for (const [what, text] of [
    ["the commit of results", "with fence as"],
    ["the commit of a transaction", "commit\0"],
    ["a claim", "take_tasks"],
  ] as const) {
    it(`47: the answer to ${what} is lost: nothing is lost and nothing is done twice`, async () => {
      const schema = postgres.fresh();
      const watcher = await startOn(postgres.url, schema, false);
      const gate = await gateTo(postgres.url);
      const worker = await startOn(gate.url, schema);
      gate.cutAnswerTo(text, 3);
      await watcher.accept(manyLetters(300));
      await expectLikeQuietRun(watcher, 300);
      if (text !== "commit\0") expect(gate.cuts).toBeGreaterThan(0);
      await worker.stop();
      await watcher.stop();
    });
  }

  it("connections cut at random moments, again and again: the content is that of a quiet run", async () => {
    const seed = 7;
    const { random } = virtualClock({ seed });
    const schema = postgres.fresh();
    const watcher = await startOn(postgres.url, schema, false);
    const gate = await gateTo(postgres.url);
    const worker = await startOn(gate.url, schema);
    await watcher.accept(manyLetters(1_500));
    let cutting = true;
    const cut = (async () => {
      while (cutting && gate.cuts < 150) {
        await new Promise((resolve) => setTimeout(resolve, 5 + random() * 60));
        gate.cutAll();
      }
    })();
    await vi.waitFor(() => expect(gate.cuts).toBeGreaterThan(60), { timeout: 20_000 });
    cutting = false;
    await cut;
    await expectLikeQuietRun(watcher, 1_500);
    await worker.stop();
    await watcher.stop();
  }, 60_000);

  it("100: two processes and 100 random terminations of their sessions: the content is that of a quiet run", async () => {
    const { random } = virtualClock({ seed: 11 });
    const schema = postgres.fresh();
    const watcher = await startOn(postgres.url, schema, false);
    const application = `headway-victims-${randomUUID().slice(0, 8)}`;
    const database = { url: named(postgres.url, application), schema };
    const workers = [1, 2].map((n) =>
      startWorkerProcess({ database, name: `worker-${n}`, runMs: 2, config: { pollMs: 50 } }),
    );
    processes.push(...workers);
    await Promise.all(workers.map((one) => one.next(({ kind }) => kind === "worker.started")));
    await watcher.accept(manyLetters(4_000));
    let killed = 0;
    while (killed < 100) {
      const rows = await postgres.direct.query<{ ended: boolean }>(sql`
        select pg_terminate_backend(pid) as ended from pg_stat_activity
        where application_name = ${application} order by md5(pid::text || ${String(random())}) limit 1`);
      killed += rows.filter((row) => row.ended).length;
      await new Promise((resolve) => setTimeout(resolve, random() * 20));
    }
    await expectLikeQuietRun(watcher, 4_000);
    expect(await Promise.all(workers.map((one) => one.stop()))).toEqual([0, 0]);
    await watcher.stop();
  }, 60_000);

  it("101: PostgreSQL dies and comes back in mid-run: the content is that of a quiet run", async () => {
    const cluster = await openCluster();
    try {
      const engine = await startOn(cluster.url, "headway");
      const told: string[] = [];
      engine.onSignal(({ kind }) => kind.startsWith("database.") && told.push(kind));
      await engine.accept(manyLetters(2_000));
      await cluster.crash();
      await cluster.start();
      await vi.waitFor(() => engine.database.query(sql`select 1`), { timeout: 20_000 });
      await expectLikeQuietRun(engine, 2_000);
      await vi.waitFor(() => expect(told).toEqual(["database.lost", "database.back"]), { timeout: 10_000 });
      await engine.stop();
    } finally {
      await cluster.close();
    }
  }, 60_000);
});
