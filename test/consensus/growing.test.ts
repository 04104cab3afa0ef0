import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Consensus, readSettings, startConsensus } from "@headway/consensus";
import { sql } from "@headway/engine";
import { openOperator } from "@headway/engine/operate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IngestResult, ingestOnce } from "../../cli/src/commands/ingest.ts";
import { makeZip } from "../../intake/test/packed.ts";
import { makeCollectingConsole } from "./collecting-console.ts";
import { type EmbeddingStub, startEmbeddingServer } from "./embedding-server.ts";
import { digestsOf, type Exported, exportAll } from "./exported-rows.ts";
import { anMbox, type MailSpec } from "./invented-mail.ts";

const threadsCount = 70;
const threadSize = 10;
const quick = { HEADWAY_LIST_QUIET: "50ms", HEADWAY_THREAD_QUIET: "50ms" };

/** Discussions of ten messages each. */
const archive: readonly MailSpec[] = Array.from({ length: threadsCount }, (_, thread) =>
  Array.from({ length: threadSize }, (_, nth) => aPost(thread, nth)),
).flat();

function aPost(thread: number, nth: number): MailSpec {
  const who = ["Anna Lind <anna@example.org>", "Bela Novak <bela@example.net>", "Cem Oz <cem@example.com>"];
  return {
    id: `t${thread}-${nth}`,
    from: who[(thread + nth) % who.length] as string,
    subject: `${nth > 0 ? "Re: " : ""}Gauge number ${thread}`,
    date: new Date(Date.UTC(2024, 2, 1 + (thread % 28), nth, thread)).toUTCString(),
    text: `I have read the gauge ${thread} for the time ${nth}. The level was ${thread * 10 + nth} centimetres.`,
    ...(nth > 0 && { inReplyTo: `t${thread}-${nth - 1}` }),
  };
}

describe("an archive that is read again and again", () => {
  const folder = mkdtempSync(join(tmpdir(), "headway-growing-"));
  const data = join(folder, "data");
  let consensus: Consensus;
  let server: EmbeddingStub;

  beforeAll(async () => {
    server = await startEmbeddingServer();
    await open();
    await read("tides", file("tides.mbox", anMbox(...archive)));
  }, 120_000);
  afterAll(async () => {
    await consensus.stop();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(variables: Record<string, string> = {}): Promise<void> {
    consensus = await startConsensus({ data, settings: readSettings({ ...quick, ...variables }) });
  }

  function file(name: string, content: string | Buffer): string {
    const path = join(folder, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** Reads as the command does, and counts what each stage had to do. */
  async function read(
    list: string,
    ...places: string[]
  ): Promise<IngestResult & { done: Record<string, number> }> {
    const done: Record<string, number> = {};
    const stop = consensus.engine.onSignal((signal) => {
      if (signal.kind === "task.done") done[signal.stage] = (done[signal.stage] ?? 0) + 1;
    });
    const { signal } = new AbortController();
    const result = await ingestOnce(consensus, places, { list, signal, json: true }, makeCollectingConsole());
    stop();
    expect(result.dead).toEqual([]);
    return { ...result, done };
  }

  const ofList = (all: Exported, list: string): Exported =>
    Object.fromEntries(
      Object.entries(all).map(([kind, rows]) => [
        kind,
        rows.filter((row: { id?: string; thread?: string }) =>
          (row.id ?? row.thread)?.startsWith(`${list}/`),
        ),
      ]),
    ) as unknown as Exported;
  const look = async (list: string): Promise<Exported> => ofList(await exportAll(consensus), list);

  it("is read whole the first time", async () => {
    const { messages, threads, summaries, chunks } = await look("tides");
    expect(messages).toHaveLength(threadsCount * threadSize);
    expect(threads.map((thread) => thread.messages.length)).toEqual(Array(threadsCount).fill(threadSize));
    expect(summaries).toHaveLength(threadsCount);
    expect(chunks.length).toBeGreaterThanOrEqual(messages.length);
  });

  it("changes nothing and runs nothing when it is the same, packed, or called something else", async () => {
    const before = digestsOf(await exportAll(consensus));
    const mbox = anMbox(...archive);
    const places = [
      file("tides.mbox", mbox),
      file("packed/tides.mbox.gz", gzipSync(mbox)),
      file("packed/tides.zip", makeZip([{ name: "tides.mbox", data: Buffer.from(mbox) }])),
      file("elsewhere/levels.mbox", mbox),
    ];
    for (const place of places) {
      const { accepted, unchanged, done, attempts } = await read("tides", place);
      expect({ accepted, unchanged, done, attempts }).toEqual({
        accepted: 0,
        unchanged: 1,
        done: {},
        attempts: 0,
      });
    }
    expect(digestsOf(await exportAll(consensus))).toEqual(before);
  });

  it("costs only what is new when a message is added, and lets the old bytes go", async () => {
    const before = await look("tides");
    const [old] = await blobsOf(consensus, "tides");
    const reply = { ...aPost(33, 10), text: "Thank you all. I agree with the level that was measured." };
    const { done, accepted } = await read("tides", file("tides.mbox", anMbox(...archive, reply)));
    const after = await look("tides");

    const made = after.messages.filter(({ id }) => !before.messages.some((message) => message.id === id));
    expect(made.map(({ clean }) => clean)).toEqual([reply.text]);
    const own = after.chunks.filter(({ message }) => message === made[0]?.id);
    expect(own.length).toBeGreaterThan(0);
    expect(accepted).toBe(1);
    expect(done).toEqual({
      splitting: 1,
      parsing: 1,
      merging: 1,
      threading: 1,
      chunking: 1,
      embedding: own.length,
      weighing: 1,
      summarizing: 1,
    });
    const changed = after.threads.filter(
      (thread) =>
        JSON.stringify(thread) !== JSON.stringify(before.threads.find(({ id }) => id === thread.id)),
    );
    expect(changed.map(({ id, subject }) => [id, subject])).toEqual([[made[0]?.thread, "Gauge number 33"]]);
    expect(await consensus.blobs.has(old as string)).toBe(false);
    expect(await Promise.all((await blobsOf(consensus, "tides")).map(consensus.blobs.has))).toEqual([true]);
  });

  it("loses exactly what is no more in it", async () => {
    const before = await look("tides");
    const isGone = (subject: string, messageId: string) =>
      subject.endsWith("Gauge number 5") ||
      messageId === "t7-4@example.org" ||
      messageId.startsWith("t33-10");
    const left = archive.filter(({ id, subject }) => !isGone(subject as string, `${id}@example.org`));
    const { done } = await read("tides", file("tides.mbox", anMbox(...left)));
    const after = await look("tides");

    const kept = before.messages.filter(({ subject, messageId }) => !isGone(subject, messageId));
    expect(before.messages.length - kept.length).toBe(threadSize + 2);
    expect(after.messages.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
    expect(after.threads).toHaveLength(threadsCount - 1);
    const ids = new Set(kept.map(({ id }) => id));
    expect(after.chunks.map(({ id }) => id)).toEqual(
      before.chunks.filter(({ message }) => ids.has(message)).map(({ id }) => id),
    );
    expect(after.summaries.map(({ thread }) => thread)).toEqual(after.threads.map(({ id }) => id));
    expect(after.positions.filter(({ message }) => !ids.has(message))).toEqual([]);
    // Mails after the gap have moved and are parsed again, with the same content and no further effect. Two threads
    // are shorter, and the missing thread is weighed as gone; once more if its messages go before the thread does.
    expect({ ...done, parsing: 0, merging: 0 }).toMatchObject({ threading: 1, summarizing: 2 });
    expect([3, 4]).toContain(done.weighing);
    expect(done.embedding).toBeUndefined();
    expect(await searchedChunks(consensus, "tides")).toEqual({
      words: after.chunks.length,
      meaning: after.chunks.length,
    });
  });

  it("is told apart from another one of the same name in another folder", async () => {
    const [first, second] = [
      file("north/march.mbox", anMbox({ id: "n1", subject: "North" })),
      file("south/march.mbox", anMbox({ id: "s1", subject: "South" })),
    ];
    await read("coast", first, second);
    const subjects = async () => (await look("coast")).messages.map(({ subject }) => subject).sort();
    expect(await subjects()).toEqual(["North", "South"]);

    file("south/march.mbox", anMbox({ id: "s1", subject: "South" }, { id: "s2", subject: "South again" }));
    expect((await read("coast", first, second)).done).toMatchObject({ splitting: 1, parsing: 1 });
    expect(await subjects()).toEqual(["North", "South", "South again"]);
    file("north/march.mbox", anMbox({ id: "n2", subject: "North anew" }));
    await read("coast", second, first);
    expect(await subjects()).toEqual(["North anew", "South", "South again"]);
  });

  it("that becomes the same as another one is not what it was any more", async () => {
    const [short, long] = [anMbox({ id: "o1" }), anMbox({ id: "o1" }, { id: "o2" })];
    const copies = join(folder, "copies");
    file("copies/own.mbox", short);
    await read("copies", copies);
    file("copies/own.mbox", long);
    file("copies/a-copy.mbox", short);
    await read("copies", copies);
    expect((await look("copies")).messages).toHaveLength(2);
    file("copies/own.mbox", short);
    await read("copies", copies);
    const { messages } = await look("copies");
    expect(messages.map(({ messageId }) => messageId)).toEqual(["o1@example.org"]);
    expect((await read("copies", copies)).done).toEqual({});
  });

  it("shares a message with another archive: it is one message, and both are named", async () => {
    const shared = { id: "both", subject: "Sent to both", text: "The same mail in two archives." };
    const before = await read("shared", file("shared/a.mbox", anMbox({ id: "only-a" }, shared)));
    const { ledger } = await read("shared", file("shared/b.mbox", anMbox(shared, { id: "only-b" })));
    const { messages } = await look("shared");
    expect(messages).toHaveLength(3);
    const both = messages.find(({ messageId }) => messageId === "both@example.org");
    expect(both?.occurrences.map((one) => one.archive)).toEqual(["shared/a.mbox", "shared/b.mbox"]);
    expect(ledger.mails).toBe(ledger.messages + ledger.duplicates + ledger.dead);
    expect(ledger.duplicates - before.ledger.duplicates).toBe(1);

    await read("shared", file("shared/a.mbox", anMbox({ id: "only-a" })));
    const [left] = (await look("shared")).messages.filter(
      ({ messageId }) => messageId === "both@example.org",
    );
    expect(left?.occurrences.map((one) => one.archive)).toEqual(["shared/b.mbox"]);
  });

  it("brings a parent that was missing, and the thread is still the same thread", async () => {
    const replies = [
      {
        id: "r1",
        inReplyTo: "parent",
        subject: "Re: Mean sea level",
        date: "Tue, 5 Mar 2024 10:00:00 +0000",
      },
      {
        id: "r2",
        inReplyTo: "parent",
        subject: "Re: Mean sea level",
        date: "Wed, 6 Mar 2024 10:00:00 +0000",
      },
    ];
    await read("late", file("late/a.mbox", anMbox(...replies)));
    const before = await look("late");
    expect(before.threads.map((thread) => thread.messages.length)).toEqual([2]);

    await read("late", file("late/b.mbox", anMbox({ id: "parent", subject: "Mean sea level" })));
    const after = await look("late");
    expect(after.threads.map(({ id }) => id)).toEqual(before.threads.map(({ id }) => id));
    const root = after.messages.find(({ messageId }) => messageId === "parent@example.org");
    expect(after.threads[0]?.messages[0]).toBe(root?.id);
    const parents = after.messages.filter(({ id }) => id !== root?.id).map(({ parent }) => parent);
    expect(parents).toEqual([root?.id, root?.id]);
  });

  it("is embedded anew by another model when asked for, and nothing of the old one is left", async () => {
    const models = () =>
      consensus.engine.database.query<{ model: string; vectors: number }>(sql`
        select v.model, count(*)::int4 as vectors
        from headway_read.passage_vectors v
        group by v.model`);
    const [before, ...none] = await models();
    expect(none).toEqual([]);
    await consensus.stop();
    await open({ HEADWAY_EMBEDDER: server.url, HEADWAY_EMBEDDER_MODEL: "stub-1" });
    const place = join(folder, "tides.mbox");

    const asked = await read("tides", place);
    const { messages } = await exportAll(consensus);
    expect([asked.accepted, asked.done]).toEqual([0, {}]);
    expect(asked.stale).toBeGreaterThan(messages.length);
    const operator = await openOperator({
      database: consensus.engine.database,
      actor: "test",
      pipelines: [consensus.pipeline],
      exact: true,
    });
    for (const stage of ["chunking", "embedding"]) await operator.reprocess({ stage, stale: true });
    await consensus.engine.settled();
    const { chunks } = await exportAll(consensus);
    expect(await models()).toEqual([{ model: "stub-1", vectors: chunks.length }]);
    expect(before?.model).not.toBe("stub-1");
    expect(new Set(server.texts)).toEqual(
      new Set(chunks.map((chunk) => `${(chunk as { subject?: string }).subject}\n${chunk.text}`)),
    );
    expect((await consensus.search({ words: "gauge 12" })).length).toBeGreaterThan(0);
    expect(await read("tides", place)).toMatchObject({ done: {}, stale: 0 });
  });
});

const blobsOf = async ({ engine }: Consensus, list: string): Promise<string[]> => {
  const rows = await engine.database.query<{ blob: string }>(sql`
    select d.body ->> 'blob' as blob
    from headway.document d
    join headway.collection c on c.id = d.collection and c.name = 'archives'
    where d.gone_at is null and d.body ->> 'list' = ${list}`);
  return rows.map(({ blob }) => blob);
};

const searchedChunks = async ({ engine }: Consensus, list: string): Promise<object> => {
  const [row] = await engine.database.query<object>(sql`
    select (select count(*)::int4 from headway_read.passages p where p.list = ${list}) as words,
      (select count(*)::int4 from headway_read.passage_vectors v where starts_with(v.id, ${`${list}/`})) as meaning`);
  return row as object;
};
