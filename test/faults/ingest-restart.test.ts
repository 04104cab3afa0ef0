import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { samplePath } from "@headway/consensus";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHeadway } from "../consensus/headway-process.ts";
import { type Cluster, openCluster } from "../support/cluster.ts";

let cluster: Cluster;
let cwd: string;
beforeAll(async () => {
  cluster = await openCluster();
  cwd = await mkdtemp(join(tmpdir(), "headway-restart-"));
});
afterAll(async () => {
  await cluster.close();
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

it("ingest waits for a database that crashes and restarts, and its books balance", async () => {
  const env = { HEADWAY_DATABASE_URL: cluster.url };
  const ingest = startHeadway(["ingest", samplePath()], { cwd, env });
  await ingest.saying(/parsing \d/);
  await cluster.crash();
  await ingest.saying(/The database is away .*waiting for it/);
  expect(ingest.hasEnded()).toBe(false);
  await cluster.start();
  const { code, out, err } = await ingest.ended;
  // The sample has a mail that cannot be read: exit code 3.
  expect({ code, err: /The database is back/.test(err) ? "" : err }).toEqual({ code: 3, err: "" });
  expect(out).toMatch(/^187 mails = .* messages \+ .* duplicates? \+ .* dead letters?; .* threads/);
  const audit = await startHeadway(["audit", "--json"], { cwd, env }).ended;
  expect(JSON.parse(audit.out.split("\n")[0] as string)).toMatchObject({
    act: "ingest",
    detail: { accepted: expect.any(Number) },
  });
});
