import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Consensus, feed, type Hit, readSettings, startConsensus } from "@headway/consensus";
import { type DatabaseOption, sql } from "@headway/engine";
import { openOperator } from "@headway/engine/operate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { search } from "../../pipelines/consensus/src/library/search.ts";
import { anMbox, type MailSpec } from "./invented-mail.ts";

const rotation: MailSpec = {
  id: "rotation",
  from: "Mara Quist <mara@example.org>",
  subject: "Key rotation",
  date: "Fri, 1 Mar 2024 10:00:00 +0000",
  text: "Every ninety days each server gets a fresh cryptographic key and the previous one is destroyed.",
};
const lunch: MailSpec = {
  id: "lunch",
  from: "Bela Novak <bela@example.net>",
  subject: "Lunch",
  date: "Mon, 1 Apr 2024 10:00:00 +0000",
  text: "The canteen has soup and bread on Tuesday, and the coffee machine was repaired.",
};
const tides: MailSpec = {
  id: "tides",
  from: "Cem Öz <cem@example.com>",
  subject: "Water levels",
  date: "Wed, 1 May 2024 10:00:00 +0000",
  text: "The harbour was flooded because the storm surge came together with a spring tide.",
};
const stray: MailSpec = {
  id: "stray",
  from: "Mara Quist <mara@example.org>",
  subject: "A xylophone",
  date: "Sat, 1 Jun 2024 10:00:00 +0000",
  text: "Somebody left a xylophone in the meeting room.",
};

/** Hybrid search works, whatever the database is. */
export function describeSearch(kind: string, database: () => DatabaseOption): void {
  describe(`search on ${kind}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "headway-search-"));
    let consensus: Consensus;

    beforeAll(async () => {
      const settings = readSettings({ HEADWAY_LIST_QUIET: "50ms", HEADWAY_THREAD_QUIET: "50ms" });
      consensus = await startConsensus({ data: folder, database: database(), settings });
      await read("security", anMbox(rotation, lunch));
      await read("coast", anMbox(tides));
    });
    afterAll(async () => {
      await consensus.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    async function read(list: string, mbox: string): Promise<void> {
      const path = join(folder, `${list}.mbox`);
      writeFileSync(path, mbox);
      await feed(consensus, [path], { list });
      await consensus.engine.settled();
    }

    const subjects = (hits: readonly Hit[]) => hits.map(({ subject }) => subject);
    const find = async (query: Parameters<Consensus["search"]>[0]) => subjects(await consensus.search(query));
    const counts = async () => {
      const [row] = await consensus.engine.database.query<object>(sql`
        select (select count(*)::int4 from headway_read.passages) as words,
          (select count(*)::int4 from headway_read.passage_vectors) as meaning`);
      return row;
    };

    it("finds a passage by a word in it, and shows where the word stands", async () => {
      expect(consensus.meaning).toEqual({ kind: "ready" });
      const [hit] = await consensus.search({ words: "cryptographic" });
      expect(hit).toMatchObject({ subject: rotation.subject, list: "security", byWords: 1 });
      expect(hit?.snippet).toContain("«cryptographic»");
      expect(hit?.from).toEqual({ name: "Mara Quist", address: "mara@example.org" });
      expect(hit?.date).toBe("2024-03-01T10:00:00.000Z");
      expect(await find({ words: '"fresh cryptographic key"' })).toContain("Key rotation");
      expect((await find({ words: "soup or surge", limit: 2 })).sort()).toEqual(["Lunch", "Water levels"]);
    });

    it("finds a passage by its meaning, without a word in common", async () => {
      const [hit] = await consensus.search({ words: "food and drinks at the restaurant" });
      expect(hit).toMatchObject({ subject: "Lunch", byWords: null, byMeaning: 1 });
      const [second] = await consensus.search({ words: "ocean waves near the coast" });
      expect(second).toMatchObject({ subject: "Water levels", byWords: null, byMeaning: 1 });
      expect(await consensus.search({ words: "ocean waves near the coast", limit: 1 })).toHaveLength(1);
    });

    it("finds passages with some of the words after passages with all", async () => {
      const found = await find({ words: "xenon canteen cryptographic key" });
      expect(found.slice(0, 2).sort()).toEqual(["Key rotation", "Lunch"]);
      expect((await find({ words: "soup bread surge" }))[0]).toBe("Lunch");
    });

    it("finds nothing for words without sense", async () => {
      for (const words of ["xqzzy blorp", "zzzz", "kwyjibo grault fnord"])
        expect(await find({ words })).toEqual([]);
    });

    it("counts words only where meaning is not known", async () => {
      const { database } = consensus.engine;
      const onlyWords = await search(database, { words: "canteen", meaning: null });
      expect(onlyWords.map(({ subject, byMeaning }) => [subject, byMeaning])).toEqual([["Lunch", null]]);
      expect(await search(database, { words: "food and drinks", meaning: null })).toEqual([]);
      const other = { vector: "[1,2,3]", model: "another" };
      expect(subjects(await search(database, { words: "canteen", meaning: other }))).toEqual(["Lunch"]);
    });

    it("keeps to a list, an author and a time", async () => {
      const words = "the server, the soup or the storm";
      expect(await find({ words })).toHaveLength(3);
      expect(await find({ words, list: "coast" })).toEqual(["Water levels"]);
      expect(await find({ words, list: "nowhere" })).toEqual([]);
      expect(await find({ words, from: "MARA" })).toEqual(["Key rotation"]);
      expect(await find({ words, from: "cem Öz" })).toEqual(["Water levels"]);
      expect(await find({ words, from: "example.net" })).toEqual(["Lunch"]);
      expect(await find({ words, from: "%" })).toEqual([]);
      expect((await find({ words, since: new Date("2024-04-01") })).sort()).toEqual([
        "Lunch",
        "Water levels",
      ]);
      expect(await find({ words, until: new Date("2024-04-01") })).toEqual(["Key rotation"]);
      const april = { since: new Date("2024-04-01T10:00:00Z"), until: new Date("2024-05-01T10:00:00Z") };
      expect(await find({ words, ...april })).toEqual(["Lunch"]);
    });

    it("takes any words for words", async () => {
      const odd = [
        ..."' or 1=1; --|'; drop table headway_read.passages; --|:*&|!|a & | b|<->|((((|\\|%_%|\"unbalanced".split(
          "|",
        ),
        ...["", " ", "\0", "a\0b", "\ud800", "🙂", "­", "-", "or", "NULL", "{}", "x".repeat(10_000)],
        "key ".repeat(2_500),
        "-a ".repeat(3_000),
      ];
      for (const words of odd) {
        const hits = await consensus.search({ words, from: words, list: words });
        expect([words, hits]).toEqual([words, []]);
        expect((await consensus.search({ words })).length).toBeLessThanOrEqual(3);
      }
      expect(await counts()).toEqual({ words: 3, meaning: 3 });
    });

    it("does not find what was deleted, by word or by meaning", async () => {
      await read("attic", anMbox(stray));
      expect(await counts()).toEqual({ words: 4, meaning: 4 });
      expect(await find({ words: "xylophone", limit: 1 })).toEqual(["A xylophone"]);
      const { engine, pipeline } = consensus;
      const operator = await openOperator({
        database: engine.database,
        actor: "test",
        pipelines: [pipeline],
      });
      await operator.deleteDocument({ collection: "archives", id: "attic/attic.mbox" });
      await expect.poll(counts, { timeout: 10_000 }).toEqual({ words: 3, meaning: 3 });
      expect(await find({ words: "xylophone" })).not.toContain("A xylophone");
    });
  });
}
