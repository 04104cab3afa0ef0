import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openOperator } from "../../engine/src/operate.ts";
import { type HeadwayProcess, runHeadway, startHeadway } from "../consensus/headway-process.ts";
import { contentOf, expectAllSettled } from "../support/content.ts";
import { many, type Shop, useShops, verified, type Where } from "./broken-shop.ts";

const shops = useShops();

/** Dead letters, waiting tasks, and the numbers of all requeued letters. */
const standing = (shop: Shop) =>
  shop.look(async (database) => {
    const operator = await openOperator({ database, actor: "test" });
    const reading = (await operator.status()).find(({ stage }) => stage === "reading");
    const acts = await operator.audit({ limit: 1_000 });
    const requeued = acts.flatMap(({ detail }) => (detail as { letters?: number[] }).letters ?? []);
    return {
      dead: reading?.dead ?? 0,
      waiting: (reading?.waiting ?? 0) + (reading?.later ?? 0),
      balanced: reading?.balanced,
      requeued,
    };
  });

const letters = 1_600;

async function expectNothingLost(shop: Shop): Promise<void> {
  const { dead, waiting, balanced, requeued } = await standing(shop);
  expect({ balanced, all: dead + waiting }).toEqual({ balanced: true, all: letters });
  expect(waiting).toBe(requeued.length);
  expect(new Set(requeued).size).toBe(requeued.length);
}

/** Kills the command at a given moment; true: before its end. */
async function cutShort(headway: HeadwayProcess, moment: Promise<unknown>): Promise<boolean> {
  await Promise.race([moment, headway.ended]);
  headway.kill();
  return (await headway.ended).code === null;
}

describe.each<Where>(["PGlite, shared", "PostgreSQL"])("requeueing on %s", { timeout: 90_000 }, (where) => {
  it("killed again and again, loses and doubles nothing", { timeout: 150_000 }, async () => {
    const shop = shops.open(where);
    await shop.work({ orders: many("torn", letters) });
    const command = ["failed", "requeue", "reading.failed", ...shop.flags];
    // Time until the command's first effect.
    const from = performance.now();
    await runHeadway([...command, "--limit", "10"], shop);
    const usualMs = performance.now() - from;
    let cuts = 0;
    for (const share of [0.85, 0.9, 0.95, 1]) {
      const headway = startHeadway([...command, "--limit", "150"], shop);
      if (await cutShort(headway, pause(usualMs * share))) cuts += 1;
      await expectNothingLost(shop);
    }
    if (where !== "PGlite") {
      const before = (await standing(shop)).requeued.length;
      const moving = expect.poll(async () => (await standing(shop)).requeued.length, {
        timeout: 30_000,
        interval: 5,
      });
      if (await cutShort(startHeadway(command, shop), moving.toBeGreaterThan(before))) cuts += 1;
      await expectNothingLost(shop);
    }
    expect(cuts).toBeGreaterThan(0);
    expect(await runHeadway(command, shop)).toMatchObject({ code: 0 });
    const { dead, requeued } = await standing(shop);
    expect([dead, requeued.length, new Set(requeued).size]).toEqual([0, letters, letters]);
    await shop.work({ repaired: ["torn"] });
    await shop.look(expectAllSettled);
    const items = (await shop.look(contentOf)).filter((line) => line.startsWith("items/"));
    expect(items).toHaveLength(letters);
    expect(await verified(shop)).toBe(true);
  });
});

describe.each<Where>(["PostgreSQL"])(
  "a ramp on %s, beside a running worker",
  { timeout: 90_000 },
  (where) => {
    const dead = async (shop: Shop) => (await shop.headway("failed", "list", "--json")).rows().length;
    const ramp = ["failed", "requeue", "reading", "--code", "order.torn", "--ramp"];

    it("stops after the first one when nothing is repaired, and again when it is run again", async () => {
      const shop = shops.open(where);
      await shop.work({ orders: many("torn", 9) });
      await shop.startWorker();
      for (const number of [1, 2]) {
        const said = await shop.headway(...ramp, "--why", "hopeful");
        expect(said).toMatchObject({ code: 3, out: expect.stringContaining("Stopped after 1 dead letter") });
        expect(said.out).toContain("Step 1: sent 1 dead letter back.");
        expect(said.err).toMatch(/headway failed inspect --fingerprint \w+/);
        expect(await dead(shop)).toBe(9);
        const acts = (await shop.headway("audit", "--json")).rows<{ act: string; why: string }>();
        expect(acts.map(({ act, why }) => `${act} ${why}`)).toEqual(
          Array(2 * number).fill("dead.ramp hopeful"),
        );
      }
    });

    it("sends more and more when it is repaired, and goes on after a kill where it was", async () => {
      const shop = shops.open(where);
      await shop.work({ orders: many("torn", 40) });
      const worker = await shop.startWorker({ repaired: ["torn"], version: "2" });
      await shop.headway("pause", "reading");
      const killed = startHeadway([...ramp, ...shop.flags], shop);
      // The first step waits for the paused stage: the command is killed there, and the worker continues.
      await expect.poll(() => dead(shop), { timeout: 20_000 }).toBe(39);
      killed.kill();
      await killed.ended;
      await shop.headway("resume", "reading");
      await worker.heard("task.done");
      const said = await shop.headway(...ramp);
      expect(said).toMatchObject({ code: 0, err: expect.stringMatching(/Going on with ramp \d+/) });
      expect(said.out.match(/sent (\d+)/g)).toEqual(["sent 2", "sent 5", "sent 20", "sent 12"]);
      expect(said.out).toContain("Done: 40 dead letters sent back.");
      expect(await dead(shop)).toBe(0);
      expect((await shop.headway(...ramp)).err).toBe("No dead letter fits.\n");
      expect(await verified(shop)).toBe(true);
    });

    it("says so when nobody works, and stops at a limit", async () => {
      const shop = shops.open(where);
      await shop.work({ orders: many("torn", 5) });
      expect(await shop.headway(...ramp, "--limit", "3")).toMatchObject({
        code: 1,
        err: expect.stringContaining('start a worker with "headway up"'),
      });
      await shop.work({ repaired: ["torn"] });
      await shop.headway(...ramp, "--limit", "3");
      await shop.work({ repaired: ["torn"] });
      expect((await shop.headway(...ramp, "--limit", "3")).out).toBe("Done: 3 dead letters sent back.\n");
      expect(await dead(shop)).toBe(2);
    });
  },
);
