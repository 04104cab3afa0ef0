import { describe, expect, it } from "vitest";
import { z } from "zod";
import { batchStage, collection, groupStage, pipeline, stage } from "../../engine/src/index.ts";
import { openOperator } from "../../engine/src/operate.ts";
import { deadLetters, expectAllSettled, openTasks } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const engines = useVirtualEngines();
const postgres = useOwnSchema("look_ups");

const orders = collection("orders", z.object({ items: z.array(z.string()) }));
const prices = collection("prices", z.object({ cents: z.number(), note: z.string().optional() }));
const bills = collection("bills", z.object({ cents: z.number() }));

/** An order is billed with the prices of its items. */
function makeBilling({ optional = false, shape = "single" }: { optional?: boolean; shape?: string } = {}) {
  const runs: string[] = [];
  const sum = (found: readonly { readonly cents: number }[]) =>
    found.reduce((all, one) => all + one.cents, 0);
  const looks = {
    found: {
      of: prices.only("cents"),
      ids: (order: { readonly items: readonly string[] }) => order.items,
      optional,
    },
  };
  const single = stage("billing", {
    reads: orders,
    writes: [bills],
    looks,
    *run(order, { found }) {
      runs.push(order.id);
      yield bills.document(order.id, { cents: sum(found) });
    },
  });
  const batch = batchStage("billing", {
    reads: orders,
    writes: [bills],
    batch: 10,
    looks,
    *run(batch, { found }) {
      for (const order of batch) {
        runs.push(order.id);
        yield [order, bills.document(order.id, { cents: sum(found.get(order.id) ?? []) })];
      }
    },
  });
  const group = groupStage("billing", {
    reads: orders,
    writes: [bills],
    per: (order) => order.id,
    looks: {
      found: { of: prices, ids: ({ documents }) => documents.flatMap((one) => one.items), optional },
    },
    *run({ key }, { found }) {
      runs.push(key);
      yield bills.document(key, { cents: sum(found) });
    },
  });
  const billing = { single, batch, group }[shape] as typeof single;
  return { runs, pipelines: [pipeline("shop", { stages: [billing] })] };
}

const price = (id: string, cents: number, note?: string) =>
  prices.document(id, { cents, ...(note && { note }) });
const order = (id: string, ...items: string[]) => orders.document(id, { items });

describe.each(["single", "batch", "group"])("look-ups of a stage on a %s", (shape) => {
  it("hands the documents over, in the order of the ids", async () => {
    const { pipelines } = makeBilling({ shape });
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept([price("tea", 300), price("bun", 200), order("a", "tea", "bun", "tea")]);
    await engine.drain();
    expect(await engine.read(bills, "a")).toEqual({ id: "a", cents: 800 });
    await expectAllSettled(engine.database);
  });

  it("a change of a document owes the stage again, and only where it was looked at", async () => {
    const { runs, pipelines } = makeBilling({ shape });
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept([price("tea", 300), price("bun", 200), order("a", "tea"), order("b", "bun")]);
    await engine.drain();
    await engine.accept([price("tea", 350)]);
    await engine.drain();
    expect(runs.sort()).toEqual(["a", "a", "b"]);
    expect(await engine.read(bills, "a")).toEqual({ id: "a", cents: 350 });
  });

  it("a document that is not there yet is waited for, with the reason", async () => {
    const { runs, pipelines } = makeBilling({ shape });
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept([order("a", "tea")]);
    await engine.step();
    expect(runs).toEqual([]);
    expect(await openTasks(engine.database)).toMatchObject([
      { id: "a", attempts: 0, fault: { kind: "not-found-yet", code: "look-up.missing" } },
    ]);
    await engine.accept([price("tea", 300)]);
    await engine.drain();
    expect(runs).toEqual(["a"]);
    await expectAllSettled(engine.database);
  });

  it("a task that died waiting lives again when the document comes", async () => {
    const { pipelines } = makeBilling({ shape });
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept([order("a", "tea")]);
    await engine.drain();
    expect(await deadLetters(engine.database)).toMatchObject([{ id: "a", stage: "billing" }]);
    await engine.accept([price("tea", 300)]);
    await engine.drain();
    expect(await deadLetters(engine.database)).toEqual([]);
    expect(await engine.read(bills, "a")).toEqual({ id: "a", cents: 300 });
  });

  it("an optional document is done without, and owes the stage when it comes and when it goes", async () => {
    const { pipelines } = makeBilling({ shape, optional: true });
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept([order("a", "tea")]);
    await engine.drain();
    expect(await engine.read(bills, "a")).toEqual({ id: "a", cents: 0 });
    await engine.accept([price("tea", 300)]);
    await engine.drain();
    expect(await engine.read(bills, "a")).toEqual({ id: "a", cents: 300 });
    const operator = await openOperator({ database: engine.database, actor: "test", pipelines });
    await operator.deleteDocument({ collection: "prices", id: "tea" });
    expect(await engine.read(bills, "a")).toBeNull();
    await engine.drain();
    expect(await engine.read(bills, "a")).toEqual({ id: "a", cents: 0 });
  });
});

describe("look-ups", () => {
  it("a change of fields that were not asked for runs nothing", async () => {
    const { runs, pipelines } = makeBilling();
    const engine = await engines.open({ pipelines, services: {} });
    await engine.accept([price("tea", 300), order("a", "tea")]);
    await engine.drain();
    await engine.accept([price("tea", 300, "in a cup")]);
    await engine.drain();
    expect(runs).toEqual(["a"]);
    await expectAllSettled(engine.database);
  });

  it("ids that make no sense are a fault of the document", async () => {
    const broken = stage("billing", {
      reads: orders,
      writes: [bills],
      looks: { found: { of: prices, ids: () => "tea" as unknown as string[] } },
      *run(order, { found }) {
        yield bills.document(order.id, { cents: found.length });
      },
    });
    const engine = await engines.open({ pipelines: [pipeline("shop", { stages: [broken] })], services: {} });
    await engine.accept([order("a", "tea")]);
    await engine.drain();
    expect(await deadLetters(engine.database)).toMatchObject([{ id: "a", stage: "billing" }]);
  });

  it("no change is lost between workers: every bill has the last price", async () => {
    const { pipelines } = makeBilling();
    const schema = postgres.fresh();
    const start = () => postgres.start({ schema, pipelines, services: {}, config: { batchMax: 7 } });
    const [first, second] = await Promise.all([start(), start()]);
    const items = Array.from({ length: 10 }, (_, at) => `item ${at}`);
    const all = Array.from({ length: 300 }, (_, at) => order(`o${at}`, items[at % 10] as string));
    await Promise.all([
      first.accept(all),
      ...items.map((item) => second.accept([price(item, 1)])),
      ...items.map((item) => first.accept([price(item, 2)])),
    ]);
    for (const cents of [3, 4, 5])
      await Promise.all(items.map((item) => second.accept([price(item, cents)])));
    await first.settled();
    const found = [];
    for await (const bill of first.documents(bills)) found.push(bill.cents);
    expect(found).toEqual(Array.from({ length: 300 }, () => 5));
    expect((await first.sweep({ dryRun: true })).owed).toBe(0);
    await Promise.all([first.stop(), second.stop()]);
  });
});
