import { collection, groupStage, pipeline, stage } from "@headway/engine";
import { z } from "zod";
import { processAsPumpsDo, step, type World } from "../../engine/src/drill/world.ts";
import type { Claim } from "../../engine/src/store/claims.ts";
import { findSubjects } from "../../engine/src/store/documents.ts";
import { markGone } from "../../engine/src/store/outputs.ts";
import type { TestEngine } from "../../engine/src/testing.ts";
import type { Scenario } from "./scenarios.ts";
import { laneOf } from "./scenarios-workers.ts";

const books = collection("books", z.object({ title: z.string().nullable(), pages: z.array(z.string()) }));
const pages = collection("pages", z.object({ text: z.string() }));
const words = collection("words", z.object({ from: z.string() }));
const shelves = collection("shelves", z.object({ pages: z.array(z.string()) }));

/** Pages have ids made of their text, so two books can share a page; the cover is a page in conflict. */
const splitting = stage("splitting", {
  reads: books,
  writes: [pages],
  announces: { done: "Split" },
  *run(book) {
    if (book.title !== null) yield pages.document("cover", { text: book.title });
    for (const text of book.pages) yield pages.document(text, { text });
  },
});
const spelling = stage("spelling", {
  reads: pages,
  writes: [words],
  *run(page) {
    for (const word of page.text.split(" ")) yield words.document(`${page.id}/${word}`, { from: page.id });
  },
});
const shelving = groupStage("shelving", {
  reads: pages,
  writes: [shelves],
  per: (page) => page.text.slice(0, 1),
  quiet: "10s",
  announces: { done: "Shelved" },
  *run({ key, documents }) {
    yield shelves.document(key, { pages: documents.map((page) => page.id) });
  },
});
const library = pipeline("library", { stages: [splitting, spelling, shelving] });

/** Changed content replaces exactly its results; a child goes with its last parent; a conflict ends. */
export const change: Scenario = {
  name: "change",
  pipelines: [pipeline("books", { stages: [splitting, spelling] })],
  ending: { document: 11, done: 6, dead: 0, task: 0, conflict: 0 },
  make: () => ({
    async run(world) {
      await world.accept(books.document("A", { title: "ay", pages: ["x", "y"] }));
      await world.drain();
      await world.accept(books.document("B", { title: "bee", pages: ["y", "z"] }));
      await world.drain();
      await world.accept(books.document("A", { title: "ay", pages: ["x", "w w2"] }));
      await world.drain();
      await world.accept(books.document("B", { title: "bee", pages: ["q"] }));
      await world.drain();
      await world.accept(books.document("A", { title: null, pages: ["x", "w w2"] }));
      await world.drain();
    },
  }),
};

const remove = (world: World, ...ids: string[]) =>
  world.act("main", (engine) =>
    engine.database.transaction(async (tx) => {
      const found = await findSubjects(tx, engine.graph.collection("books").number, ids);
      if (found.length > 0)
        await markGone(
          tx,
          found.map((one) => one.subject),
          world.clock.now(),
        );
    }),
  );

/** A removed document takes along all results without another producer, down to the last. */
export const erase: Scenario = {
  name: "erase",
  pipelines: [library],
  ending: { document: 9, done: 5, dead: 0, task: 0, group: 2, deleted: 4 },
  make: () => ({
    async run(world) {
      await world.accept([
        books.document("A", { title: null, pages: ["k 1", "l 1"] }),
        books.document("B", { title: null, pages: ["k 1", "m 1"] }),
      ]);
      await world.drain();
      await remove(world, "A");
      await world.drain();
    },
  }),
};

const drafts = collection("drafts", z.object({ text: z.string() }));
const proofs = collection("proofs", z.object({ text: z.string() }));
const proofing = stage("proofing", {
  reads: drafts,
  writes: [proofs],
  announces: { done: "Proofed" },
  *run(draft) {
    yield proofs.document(draft.id, { text: `proof of ${draft.text}` });
  },
});

/** A document goes and comes back with other content while an attempt runs on the old content. */
export const reborn: Scenario = {
  name: "reborn",
  superseding: true,
  pipelines: [pipeline("drafts", { stages: [proofing] })],
  ending: { document: 4, done: 2, dead: 0, task: 0 },
  many: true,
  make: () => ({
    async run(world) {
      await world.accept([drafts.document("d", { text: "old" }), drafts.document("e", { text: "same" })]);
      const claim = await world.act("other", (engine) => laneOf(engine, "proofing").take());
      await world.act("main", (engine) => forget(engine, "d", world.clock.now()));
      await world.accept(drafts.document("d", { text: "new" }));
      if (claim) await world.join(await world.begin("other", (engine) => late(engine, claim)));
      await world.drain({ names: ["main", "other"] });
    },
  }),
};

const late = (engine: TestEngine, claim: Claim) =>
  processAsPumpsDo(engine.worker, laneOf(engine, "proofing"), claim);

const forget = (engine: TestEngine, id: string, now: Date) =>
  engine.database.transaction(async (tx) => {
    const found = await findSubjects(tx, engine.graph.collection("drafts").number, [id]);
    if (found.length > 0)
      await markGone(
        tx,
        found.map((one) => one.subject),
        now,
      );
  });

/** Owed and forgotten work is found by the sweep. */
export const sweeping: Scenario = {
  name: "sweep",
  pipelines: [library],
  ending: { document: 9, done: 5, dead: 0, task: 0, group: 2, member: 2 },
  make: () => ({
    async run(world, { lookAway, look }) {
      await world.accept(books.document("A", { title: null, pages: ["k 1", "l 1"] }));
      await world.act("main", step);
      lookAway();
      await world.real.script(
        "delete from headway.task; delete from headway.member; delete from headway.grouping",
      );
      await world.act("main", (engine) => engine.sweep());
      look();
      await world.drain();
    },
  }),
};
