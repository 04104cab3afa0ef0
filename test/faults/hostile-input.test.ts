import { describe, expect, it } from "vitest";
import { z } from "zod";
import { batchStage, collection, permanent, pipeline, stage } from "../../engine/src/index.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { copies, manyNotes, notes, reports } from "../fixtures/notes.ts";
import { deadLetters, doneTasks, expectAllSettled } from "../support/content.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { useVirtualEngines } from "../support/virtual-engines.ts";

const engines = useVirtualEngines();
const postgres = useOwnSchema("hostile");

/** An engine with one stage, and what became of one note. */
async function openWith(
  run: (note: { id: string; text: string }) => Iterable<never> | Generator,
  attempts = 2,
) {
  const copying = stage("copying", {
    reads: notes,
    writes: [copies],
    announces: { done: "Copied", failed: "CopyingFailed" },
    retry: { attempts },
    run: run as never,
  });
  return await engines.open({ pipelines: [pipeline("p", { stages: [copying] })], services: {} });
}

const megabytes = (count: number, text: string) => text.repeat((count * 1_048_576) / text.length);

describe("texts that databases do not like", () => {
  const hostile = {
    "a NUL byte": "before\0after",
    "a lone high surrogate": "before\ud83dafter",
    "a lone low surrogate": "before\udc4dafter",
    "both, many times": "\0\ud800\0\udfff".repeat(1_000),
    "10 MB": megabytes(10, "0123456789abcdef"),
    "10 MB of characters that need four bytes": megabytes(5, "😀"),
    "a backslash and a u": "\\u0000 \\ud800 \\",
  };

  for (const [name, text] of Object.entries(hostile)) {
    it(`${name} in an output is stored, normalised where it has to be`, async () => {
      const engine = await openWith(function* (note) {
        yield copies.document(note.id, { text });
      });
      await engine.accept(notes.document("a", { text }));
      await engine.drain();
      const stored = (await engine.read(copies, "a"))?.text ?? "";
      expect(stored.length).toBe(text.length);
      expect(stored.isWellFormed() && !stored.includes("\0")).toBe(true);
      if (text.isWellFormed() && !text.includes("\0")) expect(stored === text).toBe(true);
    });

    it(`${name} in an error is recorded: the document is dead, with a reason`, async () => {
      const engine = await openWith(() => {
        throw permanent("text.bad", text, { cause: new Error(text, { cause: text }) });
      });
      await engine.accept([notes.document("a", { text: "x" })]);
      await engine.drain();
      const [letter] = await deadLetters(engine.database);
      expect(letter).toMatchObject({ id: "a", code: "text.bad", reason: "permanent" });
      expect(letter?.fault.message.length).toBeLessThanOrEqual(20_000);
      expect(engine.events.map((event) => event.type)).toEqual(["CopyingFailed"]);
    });
  }

  it("a message that is cut for its event is not cut inside of a character", async () => {
    for (const at of [997, 998, 999, 1_000, 1_001]) {
      const engine = await openWith(() => {
        throw permanent("text.long", "x".repeat(at) + "😀".repeat(100));
      });
      await engine.accept(notes.document(`cut-${at}`, { text: "x" }));
      await engine.drain();
      expect(await deadLetters(engine.database)).toContainEqual(expect.objectContaining({ id: `cut-${at}` }));
      expect(engine.events.map((event) => event.type)).toEqual(["CopyingFailed"]);
    }
  });

  it("an id with a NUL byte, half a character or too many bytes is refused, and the others are taken", async () => {
    const engine = await openWith(() => []);
    const ids = ["a\0b", "half \ud83d", "あ".repeat(400), "", "fine"];
    const accepted = await engine.accept(ids.map((id) => notes.document(id, { text: "" })));
    expect(accepted.inserted).toBe(1);
    expect(accepted.refused.map((one) => one.fault.code)).toEqual(Array(4).fill("output.id"));
  });

  it("34: limits count bytes, not characters", async () => {
    const engine = await openWith(() => []);
    const wide = (
      await engine.accept([notes.document("wide", { text: "あ".repeat(22_500_000) }), ...manyNotes(1)])
    ).refused;
    expect(wide).toMatchObject([{ id: "wide", fault: { code: "output.too-large", kind: "permanent" } }]);
    const ids = ["x".repeat(1_024), "あ".repeat(341), "あ".repeat(342)];
    const { refused } = await engine.accept(ids.map((id) => notes.document(id, { text: "" })));
    expect(refused.map((one) => one.id)).toEqual(["あ".repeat(342)]);
  });
});

describe("thrown values that are no errors", () => {
  const unreadable = Object.defineProperty(new Error("hidden"), "message", {
    get() {
      throw new Error("no message for you");
    },
  });
  const circular = new Error("circular") as Error & { self: unknown };
  circular.self = circular;
  circular.cause = circular;
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const thrown: Record<string, unknown> = {
    undefined: undefined,
    null: null,
    "an empty text": "",
    "a symbol": Symbol("boom"),
    "a big number": 10n ** 30n,
    "a circular error": circular,
    "an error whose message cannot be read": unreadable,
    "an object that refuses everything": revoked.proxy,
    "a function": () => undefined,
  };
  for (const [name, value] of Object.entries(thrown)) {
    it(`${name} becomes a fault like any other`, async () => {
      const engine = await openWith(() => {
        throw value;
      });
      await engine.accept(notes.document("a", { text: "" }));
      await engine.drain();
      expect(await deadLetters(engine.database)).toMatchObject([
        { id: "a", reason: "exhausted", kind: "unknown", attempts: 2 },
      ]);
    });
  }
});

describe("stages that yield what they should not", () => {
  it("the same document twice with the same content is one document", async () => {
    const engine = await openWith(function* (note) {
      yield copies.document(note.id, { text: "same" });
      yield copies.document(note.id, { text: "same" });
    });
    await engine.accept(notes.document("a", { text: "" }));
    await engine.drain();
    expect(await engine.all(copies)).toHaveLength(1);
    await expectAllSettled(engine.database);
  });

  it("the same id twice with different content is a permanent fault, and neither is stored", async () => {
    const engine = await openWith(function* (note) {
      yield copies.document(note.id, { text: "one" });
      yield copies.document(note.id, { text: "two" });
    });
    await engine.accept(notes.document("a", { text: "" }));
    await engine.drain();
    expect(await engine.all(copies)).toEqual([]);
    expect(await deadLetters(engine.database)).toMatchObject([{ code: "output.twice", attempts: 1 }]);
  });

  it("36: a body that does not fit its schema is a permanent fault that says where", async () => {
    const deep = collection("deep", z.object({ pages: z.array(z.object({ number: z.number() })) }));
    const paging = stage("paging", {
      reads: notes,
      writes: [deep],
      *run(note) {
        yield deep.document(note.id, { pages: [{ number: 1 }, { number: "two" as never }] });
      },
    });
    const engine = await engines.open({ pipelines: [pipeline("p", { stages: [paging] })], services: {} });
    await engine.accept(notes.document("a", { text: "" }));
    await engine.drain();
    const [letter] = await deadLetters(engine.database);
    expect(letter).toMatchObject({ code: "output.invalid", attempts: 1 });
    expect(letter?.fault.message).toContain("$.pages.1.number");
  });

  for (const [name, yielded] of Object.entries({
    null: null,
    "a number": 7,
    "an object that is no document": { text: "?" },
    "a document of a collection it does not write": { collection: "reports", id: "a", body: { text: "" } },
    "a document of no collection at all": { collection: "nowhere", id: "a", body: {} },
  })) {
    it(`${name} is a permanent fault of that document`, async () => {
      const engine = await openWith(function* () {
        yield yielded;
      });
      await engine.accept(notes.document("a", { text: "" }));
      await engine.drain();
      expect(await deadLetters(engine.database)).toMatchObject([{ reason: "permanent" }]);
    });
  }

  it("nothing, where there was something before: the outputs go, and all that came from them", async () => {
    const copying = stage("copying", {
      reads: notes,
      writes: [copies],
      *run(note) {
        if (note.text !== "") yield copies.document(`${note.id}/copy`, { text: note.text });
      },
    });
    const reporting = stage("reporting", {
      reads: copies,
      writes: [reports],
      *run(copy) {
        yield reports.document(copy.id, { text: copy.text });
      },
    });
    const engine = await engines.open({
      pipelines: [pipeline("p", { stages: [copying, reporting] })],
      services: {},
    });
    await engine.accept([notes.document("a", { text: "words" }), notes.document("b", { text: "words" })]);
    await engine.drain();
    expect(await engine.all(reports)).toHaveLength(2);
    await engine.accept(notes.document("a", { text: "" }));
    await engine.drain();
    expect((await engine.all(copies)).map((one) => one.id)).toEqual(["b/copy"]);
    expect((await engine.all(reports)).map((one) => one.id)).toEqual(["b/copy"]);
    await expectAllSettled(engine.database);
    expect((await doneTasks(engine.database)).map((one) => one.id)).toEqual(["a", "b", "b/copy"]);
  });

  it("a document whose id belongs to another one: the first stands, and when it goes the second has its place", async () => {
    const copying = stage("copying", {
      reads: notes,
      writes: [copies],
      *run(note) {
        if (note.text !== "") yield copies.document("the only one", { text: note.text });
      },
    });
    const engine = await engines.open({ pipelines: [pipeline("p", { stages: [copying] })], services: {} });
    await engine.accept(notes.document("first", { text: "from the first" }));
    await engine.drain();
    await engine.accept(notes.document("second", { text: "from the second" }));
    await engine.drain();
    await engine.accept(notes.document("second", { text: "from the second, again" }));
    await engine.drain();
    expect(await engine.read(copies, "the only one")).toMatchObject({ text: "from the first" });
    expect(engine.signals.filter(({ kind }) => kind === "document.conflict")).toHaveLength(2);
    const recorded = sql`select body from headway.conflict`;
    expect(await engine.database.query(recorded)).toEqual([{ body: { text: "from the second, again" } }]);
    await engine.accept(notes.document("first", { text: "" }));
    await engine.drain();
    expect(await engine.read(copies, "the only one")).toMatchObject({ text: "from the second, again" });
    expect(await engine.database.query(recorded)).toEqual([]);
    await expectAllSettled(engine.database);
  });

  it("a stream that fails halfway and comes back with something else leaves nothing of its first try", async () => {
    const copying = stage("copying", {
      reads: notes,
      writes: [copies],
      *run(_note, { attempt }) {
        for (let index = 0; index < 25; index++) yield copies.document(`${attempt}/${index}`, { text: "" });
        yield copies.document("shared", { text: `try ${attempt}` });
        for (let index = 0; index < 25; index++)
          yield copies.document(`${attempt}/more/${index}`, { text: "" });
        if (attempt === 1) throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
      },
    });
    const engine = await postgres.start({
      schema: postgres.fresh(),
      pipelines: [pipeline("p", { stages: [copying] })],
      services: {},
      config: { streamDocuments: 10 },
    });
    await engine.accept(notes.document("a", { text: "" }));
    await engine.settled();
    expect(await deadLetters(engine.database)).toEqual([]);
    expect(await engine.read(copies, "shared")).toMatchObject({ text: "try 2" });
    expect(await engine.read(copies, "2/24")).not.toBeNull();
    expect(await engine.read(copies, "1/24")).toBeNull();
    expect(await engine.read(copies, "1/0")).toBeNull();
    await engine.stop();
  });
});

describe("a poison document", () => {
  it("among 10,000 good ones: all others are done", async () => {
    const copying = batchStage("copying", {
      reads: notes,
      writes: [copies],
      batch: 50,
      *run(batch) {
        for (const note of batch) {
          if (note.text === "poison") throw permanent("note.poison", "It is poison.\0\ud800");
          yield [note, copies.document(note.id, { text: note.text })] as const;
        }
      },
    });
    const engine = await postgres.start({
      schema: postgres.fresh(),
      pipelines: [pipeline("p", { stages: [copying] })],
      services: {},
    });
    await engine.accept(manyNotes(10_001, (index) => (index === 5_000 ? "poison" : "good")));
    await engine.settled();
    expect((await deadLetters(engine.database)).map((one) => one.id)).toEqual(["note-05000"]);
    expect(await doneTasks(engine.database)).toHaveLength(10_000);
    await expectAllSettled(engine.database);
    await engine.stop();
  });
});
