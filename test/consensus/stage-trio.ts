import type { AnyCollection, DocumentDraft } from "@headway/engine";
import { openTestEngine, type TestEngine } from "@headway/engine/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../engine/src/store/database.ts";
import {
  archives,
  assessments,
  chunks,
  headers,
  mails,
  messages,
  positions,
  readings,
  summaries,
  threads,
  vectors,
} from "../../pipelines/consensus/src/collections.ts";
import { packRaw } from "../../pipelines/consensus/src/mail/raw.ts";
import { makeConsensus } from "../../pipelines/consensus/src/pipeline.ts";
import { readSettings } from "../../pipelines/consensus/src/settings.ts";
import { openSummarizer } from "../../pipelines/consensus/src/summary/choose.ts";
import { openStaticModel } from "../../text/src/embed/static-model.ts";
import { aMail, anMbox } from "./invented-mail.ts";
import { makeMemoryBlobs } from "./memory-blobs.ts";

/** What a stage is given, first and after a change of mind, and what should be there then. */
interface Case {
  readonly stage: string;
  readonly writes: readonly AnyCollection[];
  /** Documents present beside the input. */
  readonly beside?: readonly DocumentDraft[];
  readonly first: readonly DocumentDraft[];
  readonly second: readonly DocumentDraft[];
  /** Looked at after the first and after the second. */
  readonly look: (engine: TestEngine) => Promise<unknown>;
  readonly expected: readonly [first: unknown, second: unknown];
}

const anna = { name: "Anna Lind", address: "anna@example.org" };
const bela = { name: "Bela Novak", address: "bela@example.net" };
const date = "2024-03-04T10:00:00.000Z";
const blobs = makeMemoryBlobs();

const archive = (mbox: string) =>
  archives.document("tides/march", {
    list: "tides",
    place: "march.mbox",
    blob: blobs.keep(mbox),
    size: mbox.length,
  });
const mail = (text: string) =>
  mails.document("tides/march#1", {
    list: "tides",
    archive: "tides/march",
    offset: 0,
    size: 1,
    envelope: { sender: null, date: null },
    raw: packRaw(Buffer.from(aMail({ id: "m1", text }))),
    cut: false,
  });
const content = (messageId: string, clean: string, from = anna) => ({
  list: "tides",
  messageId,
  subject: "Adopt draft-tide",
  from,
  date,
  inReplyTo: null,
  references: [],
  listId: null,
  text: clean,
  clean,
  removed: [],
  attachments: [],
  flags: [],
});
const reading = (id: string, messageId: string, clean: string) =>
  readings.document(id, { ...content(messageId, clean), mail: id, archive: "tides/march" });
const header = (id: string, references: string[]) =>
  headers.document(id, {
    list: "tides",
    messageId: `${id}@example.org`,
    subject: references.length > 0 ? `Re: ${id}` : id,
    from: anna,
    date,
    inReplyTo: references.at(-1) ?? null,
    references,
  });
const message = (id: string, clean: string, from = anna) =>
  messages.document(id, { ...content(`${id}@example.org`, clean, from), occurrences: [] });
const chunk = (text: string) =>
  chunks.document("tides/m1/c1", {
    list: "tides",
    message: "tides/m1",
    from: anna,
    date,
    subject: "Tides",
    start: 0,
    end: text.length,
    tokens: 3,
    text,
  });

const proposal =
  "I propose that the working group adopts draft-tide as a work item. Please say what you think.";
const objection = "I object to adopting this draft, because it has no security considerations.";
const support = "I support the adoption of this draft. It solves a real problem for harbour masters.";
const threadOf = (reply: string) =>
  threads.document("tides/t-1", {
    list: "tides",
    subject: "Adopt draft-tide",
    messages: [
      { message: "tides/m1", parent: null },
      { message: reply, parent: "tides/m1" },
    ],
    roots: ["tides/m1"],
    participants: [anna, bela],
    firstDate: date,
    lastDate: date,
  });
const assessmentOf = (reply: string) => {
  const { body } = threadOf(reply);
  return assessments.document("tides/t-1", {
    list: "tides",
    subject: body.subject,
    messages: body.messages,
    level: "undecided",
    confidence: 0,
    reasons: [],
    calls: [],
    decisions: [],
    votes: [],
    tally: null,
    salient: [],
  });
};
const discussion = [
  message("tides/m1", proposal),
  message("tides/no", objection, bela),
  message("tides/yes", support, bela),
];

const cases: readonly Case[] = [
  {
    stage: "splitting",
    writes: [mails],
    first: [archive(anMbox({ id: "m1" }, { id: "m2" }))],
    second: [archive(anMbox({ id: "m2" }, { id: "m3" }))],
    look: async (engine) =>
      (await engine.all(mails)).map(({ raw }) => /Message-ID: <(\w+)@/.exec(raw)?.[1]).sort(),
    expected: [
      ["m1", "m2"],
      ["m2", "m3"],
    ],
  },
  {
    stage: "parsing",
    writes: [readings],
    first: [mail("High water at noon.\n\n> and low water?\n")],
    second: [mail("Low water at six.\n\n-- \nAnna\n")],
    look: async (engine) => (await engine.all(readings)).map(({ messageId, clean }) => [messageId, clean]),
    expected: [[["m1@example.org", "High water at noon."]], [["m1@example.org", "Low water at six."]]],
  },
  {
    stage: "merging",
    writes: [messages, headers],
    first: [reading("a", "m1@example.org", "Hello."), reading("b", "m1@example.org", "Hello.")],
    second: [reading("a", "m1@example.org", "Hello."), reading("b", "m2@example.org", "Hello.")],
    look: async (engine) =>
      (await engine.all(messages))
        .map(({ messageId, occurrences }) => [messageId, occurrences.length])
        .sort(),
    expected: [
      [["m1@example.org", 2]],
      [
        ["m1@example.org", 1],
        ["m2@example.org", 1],
      ],
    ],
  },
  {
    stage: "threading",
    writes: [threads],
    first: [header("flood", []), header("ebb", []), header("reply", ["flood@example.org"])],
    second: [header("flood", []), header("ebb", []), header("reply", ["ebb@example.org"])],
    look: async (engine) =>
      (await engine.all(threads)).map((thread) => thread.messages.map(({ message }) => message)).sort(),
    expected: [
      [["ebb"], ["flood", "reply"]],
      [["ebb", "reply"], ["flood"]],
    ],
  },
  {
    stage: "chunking",
    writes: [chunks],
    first: [message("tides/m1", "High water at noon.")],
    second: [message("tides/m1", "Low water at six.")],
    look: async (engine) => (await engine.all(chunks)).map(({ text, start, end }) => [text, start, end]),
    expected: [[["High water at noon.", 0, 19]], [["Low water at six.", 0, 17]]],
  },
  {
    stage: "embedding",
    writes: [vectors],
    first: [chunk("The tide is high.")],
    second: [chunk("A committee met in Geneva.")],
    look: async (engine) =>
      (await engine.all(vectors)).map(({ id, vector }) => [id, vector.split(",").length]),
    expected: [[["tides/m1/c1", 256]], [["tides/m1/c1", 256]]],
  },
  {
    stage: "weighing",
    writes: [assessments, positions],
    beside: discussion,
    first: [threadOf("tides/no")],
    second: [threadOf("tides/yes")],
    look: async (engine) =>
      (await engine.all(positions))
        .filter(({ person }) => person.name === bela.name)
        .map(({ stance }) => stance),
    expected: [["object"], ["support"]],
  },
  {
    stage: "summarizing",
    writes: [summaries],
    beside: discussion,
    first: [threadOf("tides/no"), assessmentOf("tides/no")],
    second: [threadOf("tides/yes"), assessmentOf("tides/yes")],
    look: async (engine) => {
      const [summary] = await engine.all(summaries);
      const cited = summary?.sentences.flatMap(({ citations }) => citations) ?? [];
      expect(cited.length).toBeGreaterThan(0);
      return [...new Set(cited.map((one) => one.message))].sort();
    },
    expected: [
      ["tides/m1", "tides/no"],
      ["tides/m1", "tides/yes"],
    ],
  },
];

/** Every stage runs, runs twice, and handles changed input; on a database of any kind. */
export function describeTrio(kind: string, open: () => Promise<Database>): void {
  describe(`the stages of the consensus pipeline on ${kind}`, () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(() => db.close());

    it.each(cases.map((one) => [one.stage, one] as const))(
      "%s works, works twice, changes its mind",
      async (_, one) => {
        const engine = await openAlone(db, one.stage);
        await engine.accept(one.beside ?? []);
        await engine.accept(one.first);
        await engine.drain();
        expect(await one.look(engine)).toEqual(one.expected[0]);
        const before = await hashes(engine, one);

        await engine.accept(one.first);
        await engine.drain();
        expect(await hashes(engine, one)).toEqual(before);
        expect(engine.signals.filter(({ kind }) => kind === "task.died")).toEqual([]);

        await engine.accept(one.second);
        await engine.drain();
        expect(await one.look(engine)).toEqual(one.expected[1]);
        expect(await hashes(engine, one)).not.toEqual(before);

        await engine.accept(one.first);
        await engine.drain();
        expect(await hashes(engine, one)).toEqual(before);
        await engine.close();
        await empty(db);
      },
    );

    it("covers every stage of the pipeline", () => {
      expect(cases.map(({ stage }) => stage).sort()).toEqual(pipeline.stages.map(({ name }) => name).sort());
    });
  });
}

const embedder = openStaticModel();
const summarizer = openSummarizer(readSettings({}));
const pipeline = makeConsensus({ embedder, summarizer });

/** An engine with one stage only, to isolate its outputs. */
const openAlone = (database: Database, stage: string): Promise<TestEngine> =>
  openTestEngine({
    pipelines: [pipeline],
    services: { blobs, embedder, summarizer },
    database,
    stages: [stage],
    settings: { alone: true },
  });

const hashes = async (engine: TestEngine, { writes }: Case): Promise<string[]> => {
  const all = await Promise.all(writes.map((collection) => engine.all(collection)));
  return all.flat().map((document) => JSON.stringify(document));
};

async function empty(db: Database): Promise<void> {
  await db.script(
    "truncate headway.document, headway.task, headway.done, headway.dead_letter, headway.grouping, headway.member, headway.claim, headway.co_producer, headway.conflict",
  );
}
