import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Consensus, feed, readSettings, samplePath, startConsensus } from "@headway/consensus";
import { sql } from "@headway/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contentOf } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { freshVhost, type Vhost } from "../support/rabbitmq.ts";
import { until } from "../support/waiting.ts";
import { type HeadwayProcess, startHeadway } from "./headway-process.ts";

const postgres = useOwnSchema("consensusfleet");
const quick = { HEADWAY_LIST_QUIET: "100ms", HEADWAY_THREAD_QUIET: "100ms" };
const folder = mkdtempSync(join(tmpdir(), "headway-fleet-"));
let vhost: Vhost;
beforeAll(async () => {
  vhost = await freshVhost();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await vhost.close();
});

/** Reads the sample and waits until everything is done. */
async function readSample(consensus: Consensus): Promise<string[]> {
  const fed = await feed(consensus, [samplePath()]);
  expect(fed.refused).toEqual([]);
  await consensus.engine.settled();
  return await contentOf(consensus.engine.database);
}

describe("the pipeline on PostgreSQL and RabbitMQ", () => {
  it("three worker processes, each with its own folder, one killed: the same content as embedded in one", async () => {
    const embedded = await startConsensus({
      data: join(folder, "embedded"),
      database: { memory: true },
      settings: readSettings(quick),
    });
    const alone = await readSample(embedded);
    await embedded.stop();

    const schema = postgres.fresh();
    const env = {
      ...quick,
      HEADWAY_DATABASE_URL: `${postgres.url}?schema=${schema}`,
      HEADWAY_BROKER_URL: vhost.url,
    };
    const clerk = await startConsensus({
      data: join(folder, "clerk"),
      database: { url: postgres.url, schema },
      broker: { url: vhost.url },
      settings: readSettings(quick),
      work: false,
    });
    const crew = [
      ["--stages", "splitting,parsing,merging"],
      ["--stages", "parsing,threading,chunking,embedding,weighing,summarizing"],
      [],
    ].map((words, index): HeadwayProcess => {
      const port = String(41_000 + (process.pid % 5_000) * 3 + index);
      return startHeadway(["work", "--port", port, "--data", join(folder, `worker-${index}`), ...words], {
        cwd: folder,
        env,
      });
    });
    try {
      await Promise.all(crew.map((one) => one.saying(/Headway is up/)));
      const reading = readSample(clerk);
      const done = async () => {
        const [row] = await clerk.engine.database.query<{ done: number }>(
          sql`select count(*)::int as done from headway.done`,
        );
        return row?.done ?? 0;
      };
      await until(done, (count) => count > 50, 60_000);
      crew[2]?.kill();
      expect(await reading).toEqual(alone);
      for (const one of crew.slice(0, 2)) {
        one.signal("SIGTERM");
        expect((await one.ended).code).toBe(0);
      }
    } finally {
      for (const one of crew) one.kill();
      await clerk.stop();
    }
  }, 120_000);
});
