import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withDesk } from "../../cli/src/desk.ts";
import { run } from "../../cli/src/run.ts";
import { makeCollectingConsole } from "../consensus/collecting-console.ts";
import { type Ended, startHeadway } from "../consensus/headway-process.ts";
import { type BrokenOrder, type BrokenWorker, startBrokenWorker } from "../support/broken-workers.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { hashDatabase } from "../support/whole-database.ts";

const own = useOwnSchema("seeing");
const cwd = mkdtempSync(join(tmpdir(), "headway-seeing-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const orders = {
  torn: "torn in two",
  flaky: "flaky all day",
  poisoned: "poison",
  one: "priced at last",
  "one/item": "a name that is in two collections",
  held: "stuck for ever",
  two: "fine",
  three: "fine too",
};

/**
 * The same shop on both databases: while its worker runs, an embedded database is read through the worker's process.
 */
const places: readonly {
  name: string;
  place: () => { words: string[]; database: BrokenOrder["database"] };
}[] = [
  {
    name: "an embedded database that another process has open",
    place: () => {
      const folder = join(cwd, "shop");
      return { words: ["--data", folder], database: { folder } };
    },
  },
  {
    name: "a PostgreSQL server",
    place: () => {
      const schema = own.fresh();
      const url = new URL(own.url);
      url.searchParams.set("schema", schema);
      return { words: ["--database", url.href], database: { url: own.url, schema } };
    },
  },
];

it("a server in which nobody has worked yet is left as it is, and it is said what to do", async () => {
  const url = new URL(own.url);
  url.searchParams.set("schema", own.fresh());
  url.password = "s3cret";
  for (const command of [["status"], ["workers"], ["events"], ["failed", "list"], ["status"]]) {
    const console = makeCollectingConsole();
    expect(await run([...command, "--database", url.href], console), command[0]).toBe(1);
    expect(console.err()).toMatch(/There is nothing of Headway in .* yet: .*"headway ingest PATH"\./);
    expect(console.err()).not.toContain("s3cret");
  }
});

describe.each(places)("what an operator sees on $name", ({ place }) => {
  let words: string[];
  let worker: BrokenWorker;

  const ask = async (...asked: string[]): Promise<Ended> => {
    const console = makeCollectingConsole();
    const code = await run([...asked, ...words], console);
    return { code, out: console.out(), err: console.err() };
  };
  const askJson = async (...asked: string[]) => {
    const { out, err } = await ask(...asked, "--json");
    expect(err).toBe("");
    return out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  };
  const stageLine = async (stage: string) => (await askJson("status")).find((one) => one.stage === stage);

  beforeAll(async () => {
    const { words: given, database } = place();
    words = given;
    worker = await startBrokenWorker({ database, orders, pricesDown: true, config: { graceMs: 300 } });
    await Promise.all([
      worker.heard("task.died", 3),
      worker.heard("breaker.opened"),
      worker.heard("task.done", 9),
    ]);
    while ((await stageLine("packing")).claimed === 0);
  }, 60_000);
  afterAll(() => worker.kill());

  it("is where every document stands, and that the books balance", async () => {
    expect(await stageLine("reading")).toMatchObject({
      done: 5,
      dead: 3,
      waiting: 0,
      accepted: 8,
      balanced: true,
    });
    expect(await stageLine("packing")).toMatchObject({
      done: 4,
      claimed: 1,
      shape: "fan-in",
      balanced: true,
    });
    const pricing = await stageLine("pricing");
    expect(pricing.waiting + pricing.later + pricing.claimed).toBe(5);
    expect(pricing).toMatchObject({ done: 0, dead: 0, balanced: true });
    expect((await stageLine("reading")).perSecond).toBeGreaterThan(0);
    const { out, err, code } = await ask("status");
    expect(code).toBe(0);
    expect(out).toMatch(/^STAGE +WAITING +HELD +CLAIMED +DONE +DEAD +RATE +OLDEST +ETA +NOTE/);
    expect(out).toMatch(
      /Ledger: 18 accepted = 9 done \+ \d waiting \+ \d claimed \+ 3 dead \+ 0 deleted {2}✓ balances/,
    );
    expect(err).toContain("3 dead letters wait for a person: headway failed list");
    expect(err).toMatch(/prices is down since .*Z \(.*\): Nobody answers at prices; it is tried again/);
  });

  it("is who works, and what each one holds", async () => {
    const [line, ...others] = await askJson("workers");
    expect(others).toEqual([]);
    expect(line.name).toBe("shop-worker");
    expect(line.holds).toContainEqual({ stage: "packing", tasks: 1, since: expect.any(String) });
    expect((await ask("workers")).out).toMatch(/1 packing for \d/);
  });

  it("is why a document is dead, of what, and what to type next", async () => {
    const [torn] = await askJson("explain", "torn");
    expect(torn).toMatchObject({
      collection: "orders",
      id: "torn",
      command: `headway failed inspect ${torn.stages[0].deadLetter}`,
    });
    expect(torn.stages[0]).toMatchObject({
      because: "dead",
      attemptCount: 1,
      fault: { code: "order.torn", kind: "permanent" },
    });
    const { out } = await ask("explain", "torn");
    expect(out).toContain("✗ reading: dead");
    expect(out).toMatch(/attempts +1 of 1 used; the last (now|.* ago)\n/);
    expect(out).toContain("fault     order.torn (permanent): Order torn is torn.");
    expect(out).toContain(`Next:  ${torn.command}`);
  });

  it("never moves the cursor or changes a title, whatever a fault says", async () => {
    for (const asked of [["explain", "poisoned"], ["trace", "poisoned"], ["events"], ["status"]]) {
      const { out, err } = await ask(...asked);
      expect(out + err).toMatch(/^[\P{Cc}\n]*$/u);
      expect(out + err).not.toMatch(/[\u202A-\u202E]/);
    }
  });

  it("is what a document waits for, and when that is tried again", async () => {
    const [item] = await askJson("explain", "two/item");
    expect(item.stages).toMatchObject([
      { stage: "pricing", breaker: { name: "prices", open: true, fault: { code: "prices.down" } } },
      { stage: "packing", group: "customer-two", because: "done", command: null },
    ]);
    expect((await ask("explain", "two/item")).out).toMatch(
      /breaker +prices is down since .*Z \(.*\), probed \d+ times/,
    );
  });

  it("is who holds a group that never ends", async () => {
    const [group] = await askJson("explain", "customer-held");
    expect(group).toMatchObject({
      collection: null,
      stage: "packing",
      id: "customer-held",
      command: "headway workers",
    });
    expect(group.stages[0]).toMatchObject({
      because: "running",
      heldBy: { name: expect.stringMatching(/^shop-worker on /) },
    });
    expect((await ask("explain", "customer-held")).out).toMatch(
      /worker \d+ \(shop-worker on .*process \d+\)\s+since/,
    );
  });

  it("shows a name that is in two collections in both, the troubled first, and suggests when it is nearly right", async () => {
    const both = await askJson("explain", "one/item");
    expect(both.map(({ collection }) => collection).sort()).toEqual(["items", "orders"]);
    const worst = both.map(({ stages }) =>
      Math.min(...stages.map(({ state }: { state: string }) => ["dead", "pending", "done"].indexOf(state))),
    );
    expect(worst).toEqual([...worst].sort());
    const { out, code } = await ask("explain", "one/item");
    expect(code).toBe(0);
    for (const title of ["items/one/item", "orders/one/item"]) expect(out).toContain(title);
    const traced = await ask("trace", "one/item");
    expect(traced.code).toBe(0);
    for (const title of ["items/one/item", "orders/one/item"]) expect(traced.out).toContain(title);
    expect((await ask("explain", "one/item", "--collection", "orders")).code).toBe(0);
    expect((await ask("explain", "orders/one/item")).out).toContain("orders/one/item");
    expect((await ask("explain", "thre")).err).toContain(
      "did you mean:\n  headway explain three --collection orders\n",
    );
    expect((await ask("explain", "nothing like it")).err).toContain("headway documents lists what there is.");
  });

  it("is the status, attempts and last attempt of documents, and which of them are stuck", async () => {
    const dead = (await askJson("documents", "--collection", "orders", "--state", "dead"))[0];
    expect(dead).toMatchObject({ status: "failed_max_retries", attemptCount: expect.any(Number) });
    expect(dead.attemptCount).toBeGreaterThan(0);
    expect(Date.parse(dead.lastAttemptTime)).toBeGreaterThan(0);
    const done = (await askJson("documents", "--collection", "orders", "--state", "done"))[0];
    expect(done).toMatchObject({ status: "completed", attemptCount: 1 });
    const asked = (state: string) => askJson("documents", "--collection", "orders", "--state", state);
    expect(await asked("failed_max_retries")).toEqual(await asked("dead"));
    expect(await asked("processed")).toEqual(await asked("completed"));
    expect((await ask("documents", "--collection", "orders", "--state", "lost")).err).toContain(
      "expected one of",
    );
    expect(await askJson("documents", "--collection", "items", "--stuck")).toEqual([]);
    expect(await askJson("documents", "orders")).toEqual(
      await askJson("documents", "--collection", "orders"),
    );
    const stuck = await askJson("documents", "--collection", "items", "--stuck", "1ms");
    expect(stuck.length).toBeGreaterThan(0);
    expect(stuck.every(({ state }) => state !== "done")).toBe(true);
    expect((await ask("documents", "--collection", "items", "--stuck", "soon")).code).toBe(2);
  });

  it("is the whole story of a request, and of one document in it", async () => {
    const [document] = await askJson("documents", "flaky");
    const story = await askJson("trace", `${document.request}.stage_reading.retry_1`);
    const times = story.filter(({ kind }) => kind !== "claimed" && kind !== "waiting").map(({ at }) => at);
    expect(times).toEqual([...times].sort());
    const kinds = (name: string) => story.filter(({ subject }) => subject === name).map(({ kind }) => kind);
    expect(kinds("orders/flaky")).toEqual(["accepted", "fault", "fault", "dead", "event"]);
    expect(kinds("orders/two")).toEqual(["accepted", "done", "event"]);
    expect(kinds("packing/customer-held")).toEqual(["claimed"]);
    expect(
      story.find(({ kind, subject }) => kind === "done" && subject === "orders/two").tookMs,
    ).toBeGreaterThanOrEqual(0);
    const { out, err } = await ask("trace", "held");
    expect(out).toMatch(/accepted +orders\/held +from front-door\n/);
    expect(out).toMatch(/claimed +packing\/customer-held +packing is held by shop-worker on /);
    expect(out).not.toContain("orders/two");
    expect(err).toMatch(/^\d+ lines: 1 accepted/);
    expect((await ask("trace", "req_00000000-0000-4000-8000-000000000000")).code).toBe(1);
  });

  it("is which events were announced, by type, from a time on, as many as asked for", async () => {
    const failed = await askJson("events", "--type", "ReadingFailed", "--since", "1h");
    expect(failed.map(({ data }) => data.document_id).sort()).toEqual(["flaky", "poisoned", "torn"]);
    expect(await askJson("events", "--limit", "2")).toHaveLength(2);
    expect(await askJson("events", "--since", "2999")).toEqual([]);
    expect((await ask("events", "--since", "soon")).err).toContain(
      "expected how long ago, such as 2h, or a date",
    );
  });

  it("is every document, page by page, each once, and what is in it", async () => {
    const found: string[] = [];
    for (let after: string[] = []; ; after = ["--after", found.at(-1) as string]) {
      const page = await askJson("documents", "--collection", "orders", "--limit", "3", ...after);
      if (page.length === 0) break;
      found.push(...page.map(({ id }) => id));
    }
    expect([...found].sort()).toEqual(Object.keys(orders).sort());
    const ids = async (...asked: string[]) =>
      (await askJson("documents", "--collection", ...asked)).map(({ id }) => id).sort();
    expect(await ids("orders", "--state", "dead")).toEqual(["flaky", "poisoned", "torn"]);
    expect(await ids("orders", "--where", "customer=customer-two", "--where", "text=fine")).toEqual(["two"]);
    expect(await ids("items", "--state", "done")).toEqual([]);
    expect(await askJson("documents", "two", "--body")).toMatchObject([
      { body: { text: "fine", customer: "customer-two" } },
    ]);
    expect((await askJson("documents")).find(({ name }) => name === "orders")).toEqual({
      name: "orders",
      documents: 8,
      deleted: 0,
      countedAt: expect.any(String),
    });
  });

  it("is where documents come from, and that no two origins quarrel", async () => {
    expect(await askJson("sources", "origins")).toMatchObject([{ name: "front-door", documents: 8 }]);
    expect(await ask("conflicts")).toMatchObject({
      code: 0,
      out: "",
      err: "No id was claimed by two origins.\n",
    });
  });

  it("goes on, in a process of its own, until Ctrl-C: events as they come, and a status when it changes", async () => {
    const following = startHeadway(["events", "--follow", "--limit", "1", "--json", ...words], { cwd });
    const watching = startHeadway(["status", "--watch", "--every", "100ms", "--json", ...words], { cwd });
    await following.saying(/Waiting for more/);
    await watching.saying(/Watching/);
    following.signal("SIGINT");
    watching.signal("SIGINT");
    const [events, status] = await Promise.all([following.ended, watching.ended]);
    expect(events).toMatchObject({ code: 0, err: "Waiting for more; stop with Ctrl-C.\n" });
    expect(events.out.trim().split("\n")).toHaveLength(1);
    expect(status).toMatchObject({ code: 0, err: "Watching; stop with Ctrl-C.\n" });
    const stages = status.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).stage);
    expect(stages.slice(0, 3).sort()).toEqual(["packing", "pricing", "reading"]);
  });

  it("is the same when nobody works any more, and looking at it changes nothing", async () => {
    await worker.stop();
    const options = { [(words[0] as string).slice(2)]: words[1] };
    const hash = () => withDesk(options, ({ database }) => hashDatabase(database));
    const before = await hash();
    const status = await ask("status");
    expect(status).toMatchObject({ code: 0, out: expect.stringContaining("✓ balances") });
    expect(status.err).toContain("Nobody works on what waits; start with: headway up");
    expect(await ask("workers")).toEqual({
      code: 0,
      out: "",
      err: "Nobody works; start a worker with: headway up\n",
    });
    expect(await askJson("explain", "customer-held")).toMatchObject([{ command: "headway up" }]);
    const others = [
      ["documents", "--collection", "items", "--body"],
      ["trace", "one", "--collection", "orders"],
      ["events"],
      ["conflicts"],
      ["sources"],
    ];
    // Each query opens an embedded database without an owner, so only a few queries are made there.
    for (const one of words[0] === "--data" ? [] : others)
      expect(await ask(...one)).toMatchObject({ code: 0 });
    expect(await hash()).toBe(before);
    // Stopping takes as long as an endless stage may take, and each look opens the database.
  }, 90_000);
});

describe("headway completion", () => {
  it("knows every command there is", async () => {
    const console = makeCollectingConsole();
    expect(await run(["completion", "bash"], console)).toBe(0);
    for (const name of ["status", "explain", "trace", "completion", "ingest"])
      expect(console.out()).toContain(name);
    expect(await run(["completion", "csh"], makeCollectingConsole())).toBe(2);
  });
});
