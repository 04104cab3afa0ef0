import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Consensus,
  exportable,
  exportRows,
  feed,
  listThreads,
  readSettings,
  readStory,
  startConsensus,
  type ThreadLine,
} from "@headway/consensus";
import type { DatabaseOption } from "@headway/engine";
import { type Operator, openDatabase, openOperator } from "@headway/engine/operate";
import { afterAll, describe, expect, it } from "vitest";
import { useOwnSchema } from "../support/own-schema.ts";
import { anMbox, type MailSpec } from "./invented-mail.ts";

const own = useOwnSchema("deleted");
const folder = mkdtempSync(join(tmpdir(), "headway-deleted-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const mail = (id: string, subject: string, text: string, more: Partial<MailSpec> = {}): MailSpec => ({
  id,
  from: "Mara Quist <mara@example.org>",
  subject,
  date: "Fri, 1 Mar 2024 10:00:00 +0000",
  text,
  ...more,
});
const opening = mail("opening", "Key rotation", "I propose that we adopt the rotation draft as a work item.");
const secret = mail("secret", "Re: Key rotation", "I object to this draft, the xylophone is not covered.", {
  from: "Otto Zephyr <otto@example.net>",
  inReplyTo: "opening",
});
const both = mail("both", "Minutes", "The minutes of the meeting about bassoons are attached.");
const apart = mail("apart", "Lunch", "I support soup on Tuesday and bread on Wednesday.");

/** Two archives of one list: a reply only in the second, one message in both. */
const archives = { kept: anMbox(opening, both, apart), attic: anMbox(secret, both) };

const places: readonly { name: string; option: () => DatabaseOption }[] = [
  { name: "PGlite", option: () => ({ folder: join(folder, "data") }) },
  { name: "PostgreSQL", option: () => ({ url: own.url, schema: own.fresh() }) },
];

const quick = readSettings({ HEADWAY_LIST_QUIET: "50ms", HEADWAY_THREAD_QUIET: "50ms" });

/** The output of `threads`, `report`, `search` and `export`. */
async function readAll({ engine, search }: Consensus): Promise<string> {
  const threads = await listThreads(engine.database, { limit: 100, order: "newest" });
  const stories = await Promise.all(threads.map(({ id }) => readStory(engine.database, id)));
  const found = [await search({ words: "xylophone" }), await search({ words: "minutes" })];
  const exported: unknown[] = [];
  for (const kind of exportable) for await (const row of exportRows(engine, kind)) exported.push(row);
  return JSON.stringify({ threads, stories, found, exported });
}

describe.each(places)("what is deleted on $name", ({ option }) => {
  it("is invisible to every reader although no worker runs; the rest is made again with one", async () => {
    const database = option();
    const open = (work: boolean) =>
      startConsensus({ data: join(folder, "data"), database, settings: quick, work });
    const shown = async () => {
      const reader = await open(false);
      try {
        return await readAll(reader);
      } finally {
        await reader.stop();
      }
    };
    const act = async <T>(how: (operator: Operator) => Promise<T>): Promise<T> => {
      const opened = await openDatabase(database, { poolMax: 2 });
      try {
        return await how(await openOperator({ database: opened, actor: "test" }));
      } finally {
        await opened.close();
      }
    };
    const working = await open(true);
    for (const [name, mbox] of Object.entries(archives)) {
      writeFileSync(join(folder, `${name}.mbox`), mbox);
      await feed(working, [join(folder, `${name}.mbox`)], { list: "keys" });
    }
    await working.engine.settled();
    const deleted = /xylophone|Zephyr|secret@/;
    expect(await readAll(working)).toMatch(deleted);
    await working.stop();

    await act((operator) => operator.deleteDocument({ collection: "archives", id: "keys/attic.mbox" }));
    const hidden = await shown();
    expect(hidden).not.toMatch(deleted);
    // The thread of the reply is hidden until made again; the message in both archives and the rest are visible.
    expect(hidden).toMatch(/bassoons/);
    expect(hidden).toMatch(/soup on Tuesday/);
    expect(
      JSON.parse(hidden)
        .threads.map((one: ThreadLine) => one.subject)
        .sort(),
    ).toEqual(["Lunch", "Minutes"]);

    const again = await open(true);
    await again.engine.settled();
    const remade = await readAll(again);
    await again.stop();
    expect(remade).not.toMatch(deleted);
    expect(JSON.parse(remade).threads).toHaveLength(3);

    await act(async (operator) => {
      expect(await operator.verify()).toMatchObject({ ok: true });
      expect(await operator.deleteSource("list keys")).toMatchObject({ deleted: 1 });
    });
    expect(JSON.parse(await shown())).toEqual({ threads: [], stories: [], found: [[], []], exported: [] });
  }, 120_000);
});
