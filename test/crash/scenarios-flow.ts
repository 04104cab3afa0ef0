import {
  batchStage,
  collection,
  groupStage,
  permanent,
  pipeline,
  rateLimited,
  service,
  stage,
  transient,
} from "@headway/engine";
import { z } from "zod";
import { sql } from "../../engine/src/store/sql.ts";
import { oweAgain } from "../../engine/src/store/tasks.ts";
import type { Scenario } from "./scenarios.ts";

const letters = collection("letters", z.object({ text: z.string() }));
const shouts = collection("shouts", z.object({ text: z.string() }));
const counts = collection("counts", z.object({ words: z.number() }));
const shouting = stage("shouting", {
  reads: letters,
  writes: [shouts],
  announces: { done: "Shouted" },
  *run(letter) {
    yield shouts.document(letter.id, { text: letter.text.toUpperCase() });
  },
});
const counting = stage("counting", {
  reads: shouts,
  writes: [counts],
  announces: { done: "Counted", failed: "CountingFailed" },
  *run(shout) {
    yield counts.document(shout.id, { words: shout.text.split(" ").length });
  },
});

/** Two stages, one document each. */
export const map = (name: string, more: Partial<Scenario>): Scenario => ({
  name,
  pipelines: [pipeline("letters", { stages: [shouting, counting] })],
  ending: { document: 9, done: 6, dead: 0, task: 0 },
  make: () => ({
    async run(world) {
      await world.accept([
        letters.document("a", { text: "one" }),
        letters.document("b", { text: "one two" }),
      ]);
      if (!more.fromStart) await world.drain();
      await world.accept(letters.document("c", { text: "one two three" }));
      await world.drain();
    },
  }),
  ...more,
});

const archives = collection("archives", z.object({ mails: z.array(z.string()) }));
const mails = collection("mails", z.object({ text: z.string() }));
const readings = collection("readings", z.object({ length: z.number() }));
const parsing = stage("parsing", {
  reads: archives,
  writes: [mails],
  announces: { done: "Parsed" },
  async *run(archive) {
    for (const text of archive.mails) yield mails.document(`${archive.id}/${text.slice(0, 1)}`, { text });
  },
});
const reading = stage("reading", {
  reads: mails,
  writes: [readings],
  *run(mail) {
    yield readings.document(mail.id, { length: mail.text.length });
  },
});

/** A long result is committed in parts; when it is made again, what it no longer yields goes. */
export const stream: Scenario = {
  name: "stream",
  pipelines: [pipeline("archives", { stages: [parsing, reading] })],
  settings: { streamDocuments: 3 },
  ending: { document: 13, done: 7, dead: 0, task: 0 },
  make: () => ({
    async run(world) {
      await world.accept(archives.document("x", { mails: ["a1", "b1", "c1", "d1", "e1", "f1", "g1"] }));
      await world.drain();
      await world.accept(archives.document("x", { mails: ["a1", "c2", "h1", "e1", "f1", "i1"] }));
      await world.drain();
    },
  }),
};

const notes = collection("notes", z.object({ thread: z.string(), text: z.string() }));
const entries = collection("entries", z.object({ text: z.string() }));
const sums = collection("sums", z.object({ notes: z.array(z.string()) }));
const indexing = stage("indexing", {
  reads: notes,
  writes: [entries],
  *run(note) {
    yield entries.document(note.id, { text: note.text });
  },
});
const summing = groupStage("summing", {
  reads: notes,
  writes: [sums],
  per: (note) => note.thread,
  after: [indexing],
  quiet: "30s",
  announces: { done: "Summed" },
  *run({ key, documents }) {
    yield sums.document(key, { notes: documents.map((note) => note.text) });
  },
});

/** Groups wait for their members and for quiet; a late one opens its group again. */
export const fanIn: Scenario = {
  name: "fan-in",
  pipelines: [pipeline("notes", { stages: [indexing, summing] })],
  ending: { document: 10, done: 6, dead: 0, task: 0, group: 2, member: 4 },
  make: () => ({
    async run(world, { sometimes }) {
      await world.accept([
        notes.document("1", { thread: "p", text: "one" }),
        notes.document("2", { thread: "p", text: "two" }),
        notes.document("3", { thread: "q", text: "three" }),
      ]);
      await world.drain();
      const [finished] = await world.real.query(sql`
        select 1 from headway.done r join headway.grouping g on g.subject = r.subject where g.key = 'p'`);
      if (finished) sometimes("a late member comes after its group was done");
      await world.accept(notes.document("4", { thread: "p", text: "late" }));
      await world.drain();
    },
  }),
};

const items = collection("items", z.object({ value: z.number() }));
const doubles = collection("doubles", z.object({ value: z.number() }));
const doubling = batchStage("doubling", {
  reads: items,
  writes: [doubles],
  batch: 4,
  announces: { done: "Doubled", failed: "DoublingFailed" },
  async *run(batch) {
    for (const item of batch) {
      if (item.value < 0) throw permanent("item.negative", "a negative item");
      yield [item, doubles.document(item.id, { value: item.value * 2 })] as const;
    }
  },
});

/** A batch with a poison member is halved until the culprit is alone. */
export const batch: Scenario = {
  name: "batch",
  pipelines: [pipeline("items", { stages: [doubling] })],
  ending: { document: 11, done: 5, dead: 1, task: 0 },
  make: () => ({
    async run(world) {
      await world.accept([1, 2, -3, 4, 5, 6].map((value) => items.document(`i${value}`, { value })));
      await world.drain();
    },
  }),
};

const orders = collection("orders", z.object({ fails: z.number(), limited: z.number() }));
const parcels = collection("parcels", z.object({ ok: z.boolean() }));
const packing = stage("packing", {
  reads: orders,
  writes: [parcels],
  retry: { attempts: 4, "rate-limited": { jitter: "none" } },
  announces: { done: "Packed", failed: "PackingFailed" },
  *run(order, { attempt }) {
    if (attempt <= order.limited) throw rateLimited("packing.busy", "later", 3_000);
    if (attempt <= order.fails) throw transient("packing.jam", "the machine is jammed");
    yield parcels.document(order.id, { ok: true });
  },
});

/** Passing failures are tried again within a policy; what always fails dies after its last try. */
export const retry: Scenario = {
  name: "retry",
  pipelines: [pipeline("orders", { stages: [packing] })],
  ending: { document: 7, done: 3, dead: 1, task: 0 },
  make: () => ({
    async run(world) {
      await world.accept([
        orders.document("well", { fails: 0, limited: 0 }),
        orders.document("twice", { fails: 2, limited: 0 }),
        orders.document("busy", { fails: 0, limited: 1 }),
        orders.document("always", { fails: 1_000, limited: 0 }),
      ]);
      await world.drain();
    },
  }),
};

interface Press {
  fixed: boolean;
}
const press = service("press").as<Press>();
const pages = collection("pages", z.object({ text: z.string() }));
const prints = collection("prints", z.object({ text: z.string() }));
const printing = stage("printing", {
  reads: pages,
  writes: [prints],
  needs: [press],
  announces: { done: "Printed", failed: "PrintingFailed" },
  *run(page, { press }) {
    if (!press.fixed && page.text.includes("ink")) throw permanent("press.broken", "no ink");
    yield prints.document(page.id, { text: page.text });
  },
});

/** Dead letters are sent again once their cause is gone. */
export const dead: Scenario = {
  name: "dead letters",
  pipelines: [pipeline("pages", { stages: [printing] }) as never],
  ending: { document: 6, done: 3, dead: 0, task: 0 },
  make: () => {
    const services = { press: { fixed: false } };
    return {
      services,
      async run(world) {
        await world.accept(["ink 1", "paper", "ink 2"].map((text) => pages.document(text, { text })));
        await world.drain();
        services.press.fixed = true;
        await world.act("main", (engine) =>
          engine.database.transaction(async (tx) => {
            const rows = await tx.query<{ subject: number; stage: number; rank: number }>(
              sql`select subject, stage, rank from headway.dead_letter order by id for update`,
            );
            const now = world.clock.now();
            await oweAgain(
              tx,
              rows.map((row) => ({ ...row, readyAt: now, reason: null })),
              now,
            );
          }),
        );
        await world.drain();
      },
    };
  },
};

interface Model {
  down: boolean;
}
const model = service("model").as<Model>();
const texts = collection("texts", z.object({ text: z.string() }));
const vectors = collection("vectors", z.object({ length: z.number() }));
const embedding = stage("embedding", {
  reads: texts,
  writes: [vectors],
  needs: [model],
  announces: { done: "Embedded" },
  *run(text, { model }) {
    if (model.down) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    yield vectors.document(text.id, { length: text.text.length });
  },
});

/** While a dependency is down documents are held, and no attempt of theirs is used up. */
export const held: Scenario = {
  name: "held",
  pipelines: [pipeline("texts", { stages: [embedding] }) as never],
  ending: { document: 14, done: 7, dead: 0, task: 0 },
  make: () => {
    const services = { model: { down: true } };
    return {
      services,
      async run(world) {
        await world.accept(["a", "b", "c", "d", "e", "f", "g"].map((id) => texts.document(id, { text: id })));
        await world.drain({ forMs: 4_000 });
        services.model.down = false;
        await world.drain();
      },
    };
  },
};
