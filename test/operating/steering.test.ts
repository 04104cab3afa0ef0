import { describe, expect, it } from "vitest";
import { contentOf } from "../support/content.ts";
import { many, type Shop, useShops, verified, type Where } from "./broken-shop.ts";

const shops = useShops();
const acts = async (shop: Shop) =>
  (await shop.headway("audit", "--json"))
    .rows<{ act: string; target: string; why: string | null }>()
    .map(({ act, target, why }) => `${act} ${target}: ${why}`);

describe.each<Where>(["PGlite, shared", "PostgreSQL"])("steering on %s", { timeout: 90_000 }, (where) => {
  it("policies are seen, set, remembered and taken back", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: many("fine", 1) });
    const inForce = async () =>
      (await shop.headway("policies", "list", "reading", "--json"))
        .rows<{ kind: string; from: string; policy: Record<string, unknown> }>()
        .find(({ kind }) => kind === "transient");
    expect(await inForce()).toMatchObject({ from: "default", policy: { attemptsMax: 5 } });
    const set = ["policies", "set", "reading", "transient", "--attempts", "9", "--max", "2m", "--ttl", "1h"];
    expect((await shop.headway(...set, "--why", "slow shop")).out).toBe(
      "reading, transient: 9 attempts, 1s to 2m ×2, within 1h\n",
    );
    expect(await inForce()).toMatchObject({
      from: "operator",
      policy: { attemptsMax: 9, ttlMs: 3_600_000 },
    });
    expect((await shop.headway("policies", "list")).out).toContain("2m");
    expect((await shop.headway("policies", "reset", "reading", "transient")).code).toBe(0);
    expect(await inForce()).toMatchObject({ from: "default" });
    const again = await shop.headway("policies", "reset", "reading", "transient", "--json");
    expect(again.rows()).toEqual([{ stage: "reading", kind: "transient", changed: false, dryRun: false }]);
    const history = (await shop.headway("policies", "history", "reading", "--json")).rows();
    expect(history).toMatchObject([
      { after: null },
      { before: null, after: { attemptsMax: 9 }, why: "slow shop" },
    ]);
    expect((await shop.headway("policies", "history")).out).toContain("as the code says");
  });

  it("nonsense is refused in one sentence", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: many("fine", 1) });
    const refused = async (...words: string[]) => {
      const { code, err } = await shop.headway(...words);
      expect(code).toBeGreaterThan(0);
      return err;
    };
    expect(await refused("policies", "set", "reading", "permanent", "--attempts", "3")).toContain(
      "never retried",
    );
    expect(await refused("policies", "set", "reading", "odd", "--attempts", "3")).toContain(
      "there are: transient",
    );
    expect(await refused("policies", "set", "reading", "transient")).toContain("Say what to change");
    expect(await refused("policies", "set", "reading", "transient", "--max", "0ms")).toContain(
      "longest delay",
    );
    expect(await refused("policies", "list", "nowhere")).toContain("there are: ");
    expect(await refused("pause", "nowhere")).toContain('There is no stage "nowhere"');
    expect(await refused("retry", "fine-9")).toContain("headway retry fine-1 --collection orders");
    expect(await refused("retry", "orders/fine-1", "--at", "soon")).toContain("how long from now");
    expect(await refused("retry", "orders/fine-1")).toContain("headway reprocess");
    expect(await refused("delete", "source", "nobody")).toContain("headway sources");
    expect(await refused("delete", "source", "front-door")).toContain("add --yes");
    expect(await refused("reprocess", "--where", "list")).toContain("expected key=value");
    expect(await refused("failed", "list", "--older-than", "long")).toContain("an age such as 2d");
    expect(await refused("failed", "import", "nowhere.ndjson")).toContain("cannot be read");
  });

  it("a paused stage stands still until it is resumed, and the reason is kept", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: many("fine", 1) });
    const pause = await shop.headway("pause", "reading", "--why", "a flood", "--json");
    expect(pause.rows()).toEqual([
      { stage: "reading", paused: true, changed: true, running: 0, dryRun: false },
    ]);
    expect((await shop.headway("pause", "reading")).out).toBe("reading is paused already.\n");
    await shop.work({ orders: { late: "fine late" } });
    const status = (await shop.headway("status", "--json")).rows<{ stage: string }>();
    expect(status.find(({ stage }) => stage === "reading")).toMatchObject({
      waiting: 1,
      held: 1,
      shut: "paused",
    });
    expect((await shop.headway("resume", "reading", "--why", "dry again")).out).toBe("Resumed reading.\n");
    expect((await shop.headway("resume", "reading")).out).toBe("reading is not paused.\n");
    await shop.work();
    expect(await shop.look(contentOf)).toContainEqual(expect.stringContaining("items/late/item"));
    expect(await acts(shop)).toEqual(["stage.resume reading: dry again", "stage.pause reading: a flood"]);
  });

  it("a document is tried again now or at a set time, and cancelled", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: many("torn", 1) });
    const asked = Date.now();
    const later = await shop.headway("retry", "torn-1", "--at", "2h", "--why", "after lunch", "--json");
    expect(later.rows()).toMatchObject([{ document: "orders/torn-1", stages: ["reading"], busy: [] }]);
    const explained = async () =>
      JSON.parse((await shop.headway("explain", "torn-1", "--json")).out).stages[0];
    const [{ at }] = later.rows<{ at: string }>() as [{ at: string }];
    // The database has a clock of its own.
    expect(Date.parse(at)).toBeGreaterThan(asked + 7_190_000);
    expect(await explained()).toMatchObject({ status: "pending", attemptCount: 0 });
    expect((await shop.headway("cancel", "orders/torn-1", "--why", "wrong order")).out).toBe(
      "Cancelled orders/torn-1 at reading.\n",
    );
    expect((await shop.headway("failed", "list", "--json")).rows()).toMatchObject([
      { code: "task.cancelled", message: expect.stringContaining("wrong order") },
    ]);
    expect((await shop.headway("cancel", "orders/torn-1")).err).toBe("orders/torn-1 owes nothing.\n");
    expect((await shop.headway("retry", "torn-1", "--stage", "reading")).out).toContain(
      "is tried again now at reading",
    );
    await shop.work({ repaired: ["torn"] });
    expect(await explained()).toMatchObject({ status: "completed" });
    expect((await acts(shop)).map((act) => act.split(" ")[0])).toEqual([
      "task.retry",
      "task.cancel",
      "task.retry",
    ]);
  });

  it("reprocessing says first what it means, and does it only with --apply", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: many("fine", 12) });
    const before = await shop.hash();
    const plan = await shop.headway("reprocess", "--stage", "reading", "--json");
    expect(plan.rows()).toMatchObject([
      {
        stage: "reading",
        owed: 12,
        pending: 0,
        busy: 0,
        downstream: { pricing: 12, packing: 12 },
        documents: { items: 12, prices: 12, parcels: 12 },
        calls: 36,
      },
    ]);
    const text = await shop.headway("reprocess", "--stage", "reading", "--where", "text=fine 3");
    expect(text.out).toContain("After reading, at most: 1 items, 1 parcels, 1 prices replaced");
    expect(text.err).toContain("do it with --apply");
    expect((await shop.headway("reprocess", "--stale")).err).toBe("No result fits.\n");
    expect(await shop.hash()).toBe(before);
    const done = await shop.headway(
      "reprocess",
      "--stage",
      "reading",
      "--ids",
      "fine-1",
      "orders/fine-2",
      "--apply",
    );
    expect(done.out).toContain("2 results will be made anew.");
    await shop.work({ version: "2" });
    const stale = (await shop.headway("reprocess", "--stale", "--apply", "--json", "--why", "v2")).rows();
    expect(stale).toMatchObject([{ stage: "reading", owed: 10 }]);
    await shop.work({ version: "2" });
    expect((await shop.headway("reprocess", "--stale", "--since", "1d")).err).toBe("No result fits.\n");
    expect(await verified(shop)).toBe(true);
  });

  it("deleting takes everything along that came from it, counts it, and leaves the rest", async () => {
    const shop = shops.open(where);
    await shop.work({ orders: many("fine", 3), source: "left" });
    await shop.work({ orders: many("torn", 2), source: "right" });
    const plan = await shop.headway("delete", "document", "orders/fine-1", "--dry-run");
    expect(plan.out).toBe("Would delete orders/fine-1 and 2 documents that came from it.\n");
    const one = await shop.headway("delete", "document", "orders/fine-1", "--yes", "--why", "asked for");
    expect(one.out).toContain("Deleted orders/fine-1 and 2 documents that came from it.");
    expect(one.out).toContain("1 group waits for a worker: headway up");
    await shop.work();
    expect((await shop.look(contentOf)).filter((line) => line.includes("fine-1"))).toEqual([]);
    const source = await shop.headway("delete", "source", "left", "--yes", "--json");
    expect(source.rows()).toMatchObject([{ source: "left", deleted: 2, kept: 0, left: 0 }]);
    await shop.work();
    expect((await shop.look(contentOf)).map((line) => line.split(" ")[0])).toEqual([
      "orders/torn-1",
      "orders/torn-2",
    ]);
    expect((await shop.headway("delete", "source", "left", "--yes")).out).toContain("Deleted 0 documents");
    expect((await shop.headway("failed", "list", "--json")).rows()).toHaveLength(2);
    expect(await acts(shop)).toEqual([
      "source.delete left: null",
      "document.delete orders/fine-1: asked for",
    ]);
    expect(await verified(shop)).toBe(true);
  });
});

describe("beside a running worker", () => {
  it.each<Where>(["PGlite", "PostgreSQL"])(
    "what is steered holds at once on %s",
    { timeout: 60_000 },
    async (where) => {
      const shop = shops.open(where);
      const worker = await shop.startWorker({ orders: { ...many("torn", 2), stuck: "stuck one" } });
      await worker.heard("task.died", 2);
      expect((await shop.headway("pause", "reading")).code).toBe(0);
      await shop.headway("failed", "requeue", "--all");
      const list = async () => (await shop.headway("failed", "list", "--json")).rows().length;
      expect(await list()).toBe(0);
      const busy = await shop.headway("retry", "customer-stuck", "--stage", "packing", "--json");
      expect(busy.rows()).toMatchObject([{ stages: [], busy: ["packing"] }]);
      await shop.headway("resume", "reading");
      await worker.heard("task.died", 4);
      expect(await list()).toBe(2);
      const source = await shop.headway("delete", "source", "front-door", "--yes", "--json");
      expect(source.rows()).toMatchObject([{ deleted: 3, left: 0 }]);
      expect(await shop.look(contentOf)).toEqual([]);
    },
  );
});
