import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Notice } from "../../engine/src/decide/alert-text.ts";
import { startHeadway } from "../consensus/headway-process.ts";
import { until } from "../support/waiting.ts";
import { type SmallList, statement, useSmallLists } from "./small-list.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Deaths as a commit queues them. */
const queueDeaths = (list: SmallList) =>
  list.withDatabase((database) =>
    database.query(
      statement(`insert into headway.alert_queue (stage, fingerprint, reason, code, count, facts, at)
        values ((select id from headway.stage where name = 'chunking'), '00aa', 'permanent', 'chunk.odd', 7,
          '{"stage":"chunking","code":"chunk.odd","message":"It is odd.","document":"messages/1"}', now())`),
    ),
  );

describe("headway alerts", () => {
  const lists = useSmallLists();
  const taken: { readonly type: string; readonly data: Notice }[] = [];
  let server: Server;
  let list: SmallList;
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        taken.push(JSON.parse(Buffer.concat(pieces).toString()));
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    list = await lists.read("postgres");
  });
  afterEach(() => {
    taken.length = 0;
    delete process.env.HEADWAY_ALERT_WEBHOOK_URL;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it("a channel in the environment of headway up is all it takes", async () => {
    const env = { HEADWAY_ALERT_WEBHOOK_URL: url(), HEADWAY_ALERT_INTERVAL: "200ms" };
    const up = startHeadway(["up", ...list.flags], { cwd: list.folder, env });
    await up.saying(/Headway is up/);
    await queueDeaths(list);
    await until(
      () => taken.length,
      (notices) => notices > 0,
    );
    up.signal("SIGTERM");
    expect(await up.ended).toMatchObject({ code: 0 });
    expect(taken[0]).toMatchObject({
      type: "alert.opened",
      data: { subject: "[high] chunking: 7 documents died of chunk.odd", rule: "deaths" },
    });
  });

  it("alerts are listed, shown, acknowledged and muted", async () => {
    const lines = (out: string) =>
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    const [alert] = lines((await list.headway("alerts", "list", "--json")).out);
    expect(alert).toMatchObject({ rule: "deaths", count: 7, state: "open" });
    const id = String(alert.id);
    const shown = (await list.headway("alerts", "show", id)).out;
    expect(shown).toContain("[high] chunking: 7 documents died of chunk.odd");
    expect(shown).toMatch(/alert-\d+-opened-1 +webhook +127\.0\.0\.1:\d+ +1 +sent/);
    const dry = await list.headway("alerts", "ack", id, "--dry-run");
    expect(dry.out).toContain("would be acknowledged");
    expect((await list.headway("alerts", "ack", id, "--why", "on it")).out).toContain("is acknowledged");
    expect((await list.headway("alerts", "mute", id, "2h")).out).toContain("is muted until");
    expect((await list.headway("alerts", "list")).out).toMatch(/deaths.*muted/);
    expect(await list.headway("alerts", "show", "999")).toMatchObject({ code: 1 });
    expect(await list.headway("alerts", "mute", id, "soon")).toMatchObject({ code: 2 });
  });

  it("rules are changed, and a change taken back", async () => {
    expect((await list.headway("alerts", "rules", "list")).out).toMatch(/max-retries +stage-deaths +10 +1h/);
    const set = ["alerts", "rules", "set", "deaths"];
    const { out } = await list.headway(...set, "--threshold", "20", "--window", "10m", "--why", "noisy");
    expect(out).toContain("from 20 within 10m, high");
    expect(await list.headway(...set)).toMatchObject({ code: 2 });
    expect(await list.headway(...set, "--threshold", "none")).toMatchObject({ code: 2 });
    expect(await list.headway(...set, "--channels", "pigeon")).toMatchObject({ code: 2 });
    expect((await list.headway("alerts", "rules", "set", "mine", "--threshold", "1")).err).toContain(
      "needs a type",
    );
    expect((await list.headway("alerts", "rules", "history")).out).toContain("noisy");
    expect((await list.headway("alerts", "rules", "reset", "deaths")).out).toContain(
      "as the code says again",
    );
  });

  it("a test goes to the channels that are set up here", async () => {
    expect((await list.headway("alerts", "list", "--all")).code).toBe(0);
    expect(await list.headway("alerts", "test").then(({ err }) => err)).toContain(
      "No channel is set up here",
    );
    process.env.HEADWAY_ALERT_WEBHOOK_URL = url();
    expect(await list.headway("alerts", "test")).toMatchObject({ code: 0 });
    expect(taken).toMatchObject([{ type: "alert.test", data: { subject: "[test] Headway can reach you" } }]);
  });
});
