import { collection, pipeline, projection, stage } from "@headway/engine";
import { z } from "zod";
import { step, type World } from "../../engine/src/drill/world.ts";
import { makeReaders } from "../../engine/src/run/readers.ts";
import { findSubjects } from "../../engine/src/store/documents.ts";
import { markGone } from "../../engine/src/store/outputs.ts";
import { gate, makeGate } from "./gate.ts";
import type { Scenario } from "./scenarios.ts";

const letters = collection("letters", z.object({ to: z.string(), text: z.string() }), {
  indexes: { byTo: ["to"] },
});
const sheets = collection("sheets", z.object({ letter: z.string(), word: z.string() }), {
  indexes: { byLetter: ["letter"] },
});
const cards = collection("cards", z.object({ street: z.string(), note: z.string() }));
const people = collection("people", z.object({ street: z.string(), note: z.string() }));
const nicknames = collection("nicknames", z.object({ name: z.string() }));
const envelopes = collection("envelopes", z.object({ address: z.string(), greeting: z.string() }));

const writing = stage("writing", {
  reads: letters,
  writes: [sheets],
  *run({ id, text }) {
    for (const word of text.split(" ")) yield sheets.document(`${id}/${word}`, { letter: id, word });
  },
});
/** People come out of a stage, so that the commit of a result changes a look-up. */
const enrolling = stage("enrolling", {
  reads: cards,
  writes: [people],
  *run({ id, street, note }) {
    yield people.document(id, { street, note });
  },
});
/** A missing person makes the task wait; a missing nickname does not. */
const addressing = stage("addressing", {
  reads: letters,
  writes: [envelopes],
  needs: [gate],
  looks: {
    addressee: { of: people.only("street"), ids: ({ to }) => [to] },
    called: { of: nicknames, ids: ({ to }) => [to], optional: true },
  },
  async *run({ id, to }, { addressee, called, gate }) {
    await gate.wait(id);
    const greeting = `Dear ${called[0]?.name ?? to}`;
    yield envelopes.document(id, { address: addressee[0]?.street ?? "", greeting });
  },
});
const post = pipeline("post", {
  stages: [writing, enrolling, addressing],
  projections: [
    projection("shown_sheets", {
      of: sheets,
      columns: { letter: "text", loud: { type: "text", value: "upper(body ->> 'word')" } },
      indexes: { letter: ["letter"] },
    }),
    projection("addresses", { of: envelopes, columns: { address: "text", greeting: "text" } }),
  ],
}) as never;

const card = (street: string, note = "") => cards.document("ann", { street, note });

const remove = (world: World, id: string) =>
  world.act("main", ({ database, graph }) =>
    database.transaction(async (tx) => {
      const found = await findSubjects(tx, graph.collection("letters").number, [id]);
      const subjects = found.map((one) => one.subject);
      if (subjects.length > 0) await markGone(tx, subjects, world.clock.now());
    }),
  );

/** A declared index answers with the documents that are there. */
async function expectCounts(world: World, wanted: Readonly<Record<string, number>>): Promise<void> {
  const found = await world.act("main", async ({ database, graph }) => {
    const { count } = makeReaders(database, (name) => graph.collection(name).number);
    return {
      "letters to ann": await count(letters, { where: { to: "ann" } }),
      "sheets of a": await count(sheets, { where: { letter: "a" } }),
      "sheets of b": await count(sheets, { where: { letter: "b" } }),
    };
  });
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`The index says ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}.`);
}

/** Look-ups come, change and stay; projections and indexes follow documents that change and go. */
export const reading: Scenario = {
  name: "reading",
  pipelines: [post],
  // A wait for a missing person is a recorded fault, and time passes during a recovery.
  faultsMax: 20,
  ending: { document: 7, done: 3, dead: 0, task: 0 },
  make: () => ({
    services: { gate: makeGate() },
    async run(world, { sometimes }) {
      await world.accept([
        letters.document("a", { to: "ann", text: "one two three" }),
        letters.document("b", { to: "ann", text: "four" }),
      ]);
      await world.drain({ forMs: 0 });
      if (world.signals.some((one) => one.kind === "task.retried")) sometimes("a look-up is missing");
      await world.accept(card("Elm Street"));
      await world.drain();
      await world.accept(nicknames.document("ann", { name: "Annie" }));
      await world.drain();
      await world.accept(card("Oak Street"));
      await world.accept(letters.document("a", { to: "ann", text: "one five" }));
      await world.drain();
      await world.accept(card("Oak Street", "moved last week"));
      await world.drain();
      await remove(world, "b");
      await world.drain();
      await expectCounts(world, { "letters to ann": 1, "sheets of a": 2, "sheets of b": 0 });
    },
  }),
};

/** A look-up changes, and another arrives, between the look and the commit of another worker. */
export const overlooked: Scenario = {
  name: "overlooked",
  superseding: true,
  pipelines: [post],
  many: true,
  ending: { document: 10, done: 5, dead: 0, task: 0 },
  make: () => {
    const services = { gate: makeGate() };
    return {
      services,
      async run(world, { sometimes }) {
        await world.accept(card("Elm Street"));
        await world.drain({ names: ["main", "other"] });
        await world.accept([
          letters.document("a", { to: "ann", text: "one two" }),
          letters.document("b", { to: "ann", text: "three" }),
        ]);
        services.gate.stopAt("a");
        const late = await world.begin("other", step);
        await world.rest();
        services.gate.stopNowhere();
        await world.act("main", (engine) => engine.accept(card("Oak Street")));
        await world.act("main", step);
        await world.act("main", (engine) => engine.accept(nicknames.document("ann", { name: "Annie" })));
        sometimes("a look-up changes before the commit");
        services.gate.letGo();
        await world.join(late);
        await world.drain({ names: ["main", "other"] });
      },
    };
  },
};
