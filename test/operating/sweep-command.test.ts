import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startHeadway } from "../consensus/headway-process.ts";
import { hashDatabase } from "../support/whole-database.ts";
import { headway, type SmallList, statement, useSmallLists } from "./small-list.ts";

/** Each command opens a database anew, which takes time on a busy machine. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

interface Pushed {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly text: string;
}

/** A minimal Pushgateway. */
function startGateway() {
  const pushed: Pushed[] = [];
  const waiting: { readonly count: number; readonly reached: () => void }[] = [];
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method, url, headers } = request;
      pushed.push({
        method,
        url,
        authorization: headers.authorization,
        text: Buffer.concat(pieces).toString(),
      });
      response.writeHead(url?.startsWith("/broken") ? 500 : 202).end();
      for (const { count, reached } of waiting) if (pushed.length >= count) reached();
    });
  });
  return {
    pushed,
    listen: () => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)),
    close: () => new Promise((resolve) => server.close(resolve)),
    url: (path = "") => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    reached: (count: number) =>
      new Promise<void>((reached) => (pushed.length >= count ? reached() : waiting.push({ count, reached }))),
  };
}

const stageNumber = (name: string) => `(select id from headway.stage where name = '${name}')`;
const messages = `(select subject from headway.document d join headway.collection c on c.id = d.collection
  where c.name = 'messages' order by subject limit 1)`;

/** A message without its chunking task, as if a row had been lost. */
const loseChunking = (list: SmallList) =>
  list.withDatabase((database) =>
    database.query(
      statement(
        `delete from headway.done where stage = ${stageNumber("chunking")} and subject = ${messages}`,
      ),
    ),
  );

/** A worker with a claim and without a session, and a task in backoff owed for two days. */
const leaveBehind = (list: SmallList) =>
  list.withDatabase(async (database) => {
    const task = (stage: string, reason: string, ready: string) =>
      database.query(
        statement(`insert into headway.task (subject, stage, ready_at, reason, owed_at, attempts)
          values (${messages}, ${stageNumber(stage)}, now() + interval '${ready}', '${reason}', now() - interval '2 days', 1)`),
      );
    await task("chunking", "backoff", "1 hour");
    await database.query(
      statement(`insert into headway.worker (id, name, host, pid, stages, session_locked, started_at, heartbeat_at)
        values (100000, 'gone', 'elsewhere', 1, '{}', true, now() - interval '1 day', now())`),
    );
    await database.query(
      statement(`insert into headway.claim (id, worker, stage, subjects, at)
        values (100000, 100000, ${stageNumber("chunking")}, array[${messages}], now() - interval '1 day')`),
    );
  });

describe.each(["pglite", "postgres"] as const)("headway sweep on %s", (kind) => {
  const lists = useSmallLists();
  const gateway = startGateway();
  let list: SmallList;
  beforeAll(async () => {
    await gateway.listen();
    list = await lists.read(kind);
  });
  afterAll(() => gateway.close());

  it("a dry run says what would be owed, and changes nothing", async () => {
    await loseChunking(list);
    const before = await list.withDatabase(hashDatabase);
    const { code, out } = await list.headway("sweep", "--dry-run");
    expect(code).toBe(0);
    expect(out).toContain("A sweep would find 1 task owed that nobody had recorded");
    expect(await list.withDatabase(hashDatabase)).toBe(before);
  });

  it("what was forgotten is owed, and counted under the names of the retry job", async () => {
    const file = join(list.folder, "sweep.prom");
    const words = [
      "sweep",
      "--once",
      "--json",
      "--metrics-file",
      file,
      "--pushgateway",
      gateway.url("/push/"),
    ];
    const { code, out } = await list.headway(...words);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ dryRun: false, owed: 1, freed: 0, died: 0, pulledIn: 0 });
    const text = await readFile(file, "utf8");
    expect(gateway.pushed.at(-1)).toMatchObject({ method: "PUT", url: "/push/metrics/job/retry_job", text });
    expect(text).toContain('retry_job_documents_requeued_total{collection="messages"} 1\n');
    expect(text).toContain('retry_job_documents_requeued_total{collection="chunks"} 0\n');
    expect(text).toContain('retry_job_runs_total{status="success"} 1\n');
    expect(text).toContain("retry_job_duration_seconds_count 1\n");
    expect(text.match(/^(?!#)\w+/gm)?.filter((name) => !name.startsWith("retry_job_"))).toEqual([]);
    // No worker runs here, so owed tasks wait; the next sweep has nothing to add.
    expect((await list.headway("sweep", "--once")).out).toContain("nothing that was forgotten");
    await list.headway("ingest", join(list.folder, "tides.mbox"));
    expect(await list.headway("verify")).toMatchObject({ code: 0 });
  });

  it("a dead worker's task is freed, and what is stuck or waits for its next attempt is told", async () => {
    await leaveBehind(list);
    const before = JSON.parse((await list.headway("sweep", "--dry-run", "--json")).out);
    expect(before).toMatchObject({ freed: 1, owed: 0 });
    expect(
      before.collections.find((one: { collection: string }) => one.collection === "messages"),
    ).toMatchObject({
      requeued: 1,
      skippedBackoff: 1,
      stuck: 1,
      failed: 0,
    });
    const { out, err } = await list.headway("sweep", "--once", "--pushgateway", gateway.url());
    expect(out).toContain("1 task freed from dead workers");
    expect(err).toContain('1 document stuck: see where with "headway status"');
    expect(gateway.pushed.at(-1)?.text).toContain('retry_job_stuck_documents{collection="messages"} 1\n');
    await list.headway("ingest", join(list.folder, "tides.mbox"));
    const after = JSON.parse((await list.headway("sweep", "--once", "--json")).out);
    expect(after.collections.every((one: { stuck: number }) => one.stuck === 0)).toBe(true);
  });

  it("as a process of its own it sweeps again and again, and ends when it is told to", async () => {
    const from = gateway.pushed.length;
    const words = ["sweep", "--interval", "1s", "--pushgateway", gateway.url(), ...list.flags];
    const process = startHeadway(words, { cwd: list.folder });
    await gateway.reached(from + 2);
    process.signal("SIGTERM");
    expect(await process.ended).toMatchObject({ code: 0 });
    const runs = (push: number) =>
      Number(/^retry_job_runs_total\{status="success"\} (\d+)$/m.exec(gateway.pushed[push]?.text ?? "")?.[1]);
    // Totals go on from those of all runs before this process.
    expect(runs(from + 1)).toBe(runs(from) + 1);
    expect(runs(from)).toBeGreaterThan(2);
  });

  it("a Pushgateway that fails is told in one sentence, without its password", async () => {
    const url = gateway.url("/broken").replace("//", "//me:secret@");
    const { code, err } = await list.headway("sweep", "--once", "--pushgateway", url);
    expect(code).toBe(1);
    expect(err).toMatch(/^headway: The metrics could not be pushed: 127\.0\.0\.1:\d+ answered 500$/m);
    expect(err).not.toContain("secret");
    expect(gateway.pushed.at(-1)?.authorization).toBe(`Basic ${btoa("me:secret")}`);
  });
});

describe("headway sweep", () => {
  const lists = useSmallLists();

  it("a sweep that cannot reach its database fails, and is counted as a failure", async () => {
    const file = join(await lists.folder(), "sweep.prom");
    const words = [
      "sweep",
      "--once",
      "--metrics-file",
      file,
      "--database",
      "postgres://nobody@127.0.0.1:1/none",
    ];
    const { code, err } = await headway(...words);
    expect(code).toBe(1);
    expect(err).toContain("The sweep failed: ");
    expect(await readFile(file, "utf8")).toMatch(/^retry_job_last_run_failed 1\n$/m);
  });

  it("a sweep that cannot reach its database leaves the published totals alone", async () => {
    const list = await lists.read("pglite");
    const file = join(list.folder, "sweep.prom");
    await list.headway("sweep", "--once", "--metrics-file", file);
    const before = await readFile(file, "utf8");
    expect(before).toContain("retry_job_last_run_failed 0\n");
    const away = ["--metrics-file", file, "--database", "postgres://nobody@127.0.0.1:1/none"];
    for (let times = 0; times < 2; times++) await headway("sweep", "--once", ...away);
    const lines = (text: string) => text.split("\n").sort();
    expect(lines(await readFile(file, "utf8"))).toEqual(
      lines(before.replace("retry_job_last_run_failed 0\n", "retry_job_last_run_failed 1\n")),
    );
  });

  it("an interval that is none is refused as wrong usage", async () => {
    expect(await headway("sweep", "--interval", "soon")).toMatchObject({ code: 2 });
    expect(await headway("sweep", "--interval", "10ms")).toMatchObject({ code: 2 });
  });
});
