import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openPostgres } from "../../../engine/src/databases/postgres.ts";
import { startEngine } from "../../../engine/src/engine.ts";
import type { Engine } from "../../../engine/src/engine-options.ts";
import { sql } from "../../../engine/src/store/sql.ts";
import { lettersPipeline, manyLetters } from "../../fixtures/letters.ts";
import { type Cluster, openCluster } from "../../support/cluster.ts";
import { contentOf, deadLetters, doneTasks, expectAllSettled } from "../../support/content.ts";
import { quickConfig } from "../../support/own-schema.ts";
import { startWorkerProcess, type WorkerProcess } from "../../support/worker-processes.ts";

// A server of its own, because the tests stop the server and make it read-only.
let cluster: Cluster;
const engines: Engine[] = [];
const processes: WorkerProcess[] = [];
beforeAll(async () => {
  cluster = await openCluster();
});
afterEach(async () => {
  for (const one of processes.splice(0)) one.child.kill("SIGKILL");
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
});
afterAll(() => cluster.close());

async function start(schema: string, { work = true, runMs = 0 } = {}): Promise<Engine> {
  const engine = await startEngine({
    pipelines: [lettersPipeline({ runMs })],
    services: {},
    database: { url: cluster.url, schema },
    config: quickConfig,
    work,
  });
  engines.push(engine);
  return engine;
}

/** The content after a run without faults. */
async function undisturbed(count: number): Promise<string[]> {
  const engine = await start("undisturbed");
  await engine.accept(manyLetters(count));
  await engine.settled();
  return await contentOf(engine.database);
}

describe("bugs of bearing an outage", { timeout: 60_000 }, () => {
  it("dbos-py#716: the database goes down while others take over from a dead worker, and nothing is stranded", async () => {
    const watcher = await start("stranded", { work: false });
    const victim = startWorkerProcess({ database: { url: cluster.url, schema: "stranded" }, runMs: 600_000 });
    processes.push(victim);
    await victim.next(({ kind }) => kind === "worker.started");
    await watcher.accept(manyLetters(250));
    const held = sql`select 1 from headway.claim`;
    await vi.waitFor(async () => expect(await watcher.database.query(held)).not.toEqual([]), {
      timeout: 10_000,
    });
    const rescuer = await start("stranded");
    const lost = new Promise<void>((resolve) =>
      rescuer.onSignal((signal) => signal.kind === "database.lost" && resolve()),
    );
    victim.child.kill("SIGKILL");
    await cluster.crash();
    await lost;
    await cluster.start();
    await watcher.settled();
    await expectAllSettled(watcher.database);
    expect(await contentOf(watcher.database)).toEqual(await undisturbed(250));
  });

  it("posthog#10396: while the database takes no writes nothing becomes a dead letter, and no attempt is used up", async () => {
    const watcher = await start("unwritable", { work: false });
    const worker = await start("unwritable", { runMs: 500 });
    const heard: string[] = [];
    worker.onSignal(({ kind }) => heard.push(kind));
    const direct = await openPostgres({ url: cluster.url, schema: "unwritable" });
    await watcher.accept(manyLetters(200));
    // As in a failover to a standby: every session becomes read-only, open sessions included.
    await direct.query(sql`alter system set default_transaction_read_only = on`);
    await direct.query(sql`select pg_reload_conf()`);
    await vi.waitFor(() => expect(heard).toContain("database.lost"), { timeout: 10_000 });
    await direct.query(sql`alter system reset default_transaction_read_only`);
    await direct.query(sql`select pg_reload_conf()`);
    await watcher.settled();
    await direct.close();
    expect(await deadLetters(watcher.database)).toEqual([]);
    expect(await watcher.database.query(sql`select * from headway.fault`)).toEqual([]);
    await expectAllSettled(watcher.database);
    expect((await doneTasks(watcher.database)).filter(({ attempts }) => attempts > 2)).toEqual([]);
  });
});
