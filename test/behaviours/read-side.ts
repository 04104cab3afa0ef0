import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  collection,
  type Database,
  type Engine,
  type Pipeline,
  pipeline,
  projection,
  type Queryable,
  sql,
  stage,
} from "../../engine/src/index.ts";
import { openOperator } from "../../engine/src/operate.ts";
import { makeReaders } from "../../engine/src/run/readers.ts";

const letter = z.object({ to: z.string(), text: z.string(), pages: z.number().optional() });
const page = z.object({ letter: z.string(), text: z.string() });
export const plain = { letters: collection("letters", letter), pages: collection("pages", page) };
export const indexed = {
  letters: collection("letters", letter, { indexes: { byTo: ["to"], byBoth: ["to", "pages"] } }),
  pages: collection("pages", page, { indexes: { byLetter: ["letter"] } }),
};

type Kept = { readonly letters: typeof plain.letters; readonly pages: typeof plain.pages };

/** A letter has a page for each word; "!" ends it, so that a shorter text removes pages. */
const splittingOf = ({ letters, pages }: Kept) =>
  stage("splitting", {
    reads: letters,
    writes: [pages],
    *run({ id, text }) {
      for (const [at, word] of text.split("!")[0]?.split(" ").entries() ?? [])
        yield pages.document(`${id}-${at}`, { letter: id, text: word });
    },
  });

export const shown = (pages: Kept["pages"], value = "upper(body ->> 'text')") =>
  projection("shown_pages", {
    of: pages,
    columns: { letter: "text", word: { type: "text", value } },
    indexes: { letter: ["letter"] },
  });

export const post = (kept: Kept, projections: readonly ReturnType<typeof shown>[] = []): Pipeline =>
  pipeline("post", { stages: [splittingOf(kept)], projections });

export const many = (kept: Kept, count: number) =>
  Array.from({ length: count }, (_, at) =>
    kept.letters.document(`l${String(at).padStart(5, "0")}`, {
      to: `p${at % 50}`,
      text: "a b",
      pages: at % 3,
    }),
  );

export interface Place {
  start(pipelines: readonly Pipeline[]): Promise<Engine>;
}

/** The plans of the statements of one question. */
async function plansOf(db: Database, ask: (readers: ReturnType<typeof makeReaders>) => Promise<unknown>) {
  const plans: string[] = [];
  const listening: Queryable = {
    async query<Row extends object>(statement: Parameters<Queryable["query"]>[0]) {
      const explained = { text: `explain (costs off) ${statement.text}`, values: statement.values };
      const rows = await db.query<{ "QUERY PLAN": string }>(explained);
      plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
      return await db.query<Row>(statement);
    },
  };
  const rows = await db.query<{ id: number; name: string }>(sql`select id, name from headway.collection`);
  const numbers = new Map(rows.map(({ id, name }) => [name, id]));
  await ask(makeReaders(listening, (name) => numbers.get(name) ?? null));
  return plans.join("\n\n");
}

const expected = (db: Database) =>
  db.query(sql`
    select id, body ->> 'letter' as letter, upper(body ->> 'text') as word from headway_read.pages order by id`);
const kept = (db: Database) => db.query(sql`select * from headway_read.shown_pages order by id`);

export async function expectInStep(db: Database, rows: number): Promise<void> {
  const found = await kept(db);
  expect(found).toEqual(await expected(db));
  expect(found).toHaveLength(rows);
}

export function describeReadSide(name: string, place: () => Place): void {
  describe(`what readers use, on ${name}`, () => {
    it("find, page and count use a declared index, also for documents from before it was declared", async () => {
      const { start } = place();
      const before = await start([post(plain)]);
      await before.accept(many(plain, 1_500));
      await before.settled();
      await before.stop();
      const engine = await start([post(indexed)]);
      await engine.accept(many(indexed, 3_000).slice(1_500));
      await engine.settled();
      const { letters } = indexed;
      const plans = await plansOf(engine.database, async ({ find, page: readPage, count }) => {
        expect(await find(letters, { where: { to: "p7" }, limit: 200 })).toHaveLength(60);
        expect(
          (await readPage(letters, { where: { to: "p7" }, after: "l01", limit: 10 })).documents,
        ).toHaveLength(10);
        expect(await count(letters, { where: { to: "p7", pages: 1 } })).toBe(20);
      });
      expect(
        plans.match(/Index (Only )?Scan using field_\d+_to|Bitmap Index Scan on field_\d+_to/g),
      ).toHaveLength(3);
      expect(plans).not.toContain("Seq Scan");
      expect(plans).not.toContain("document_collection_id_key");
      await engine.stop();
    });

    it("an index goes with its declaration, and a value of any length is indexed", async () => {
      const { start } = place();
      const engine = await start([post(indexed)]);
      const to = "x".repeat(20_000);
      await engine.accept(indexed.letters.document("long", { to, text: "a" }));
      expect(await engine.count(indexed.letters, { where: { to } })).toBe(1);
      const indexes = () =>
        engine.database.query(sql`select 1 from pg_indexes where indexname like 'field\_%'
          and schemaname = ${engine.database.schema}`);
      expect(await indexes()).toHaveLength(3);
      await engine.stop();
      const after = await start([post(plain)]);
      expect(
        await after.database.query(sql`select 1 from pg_indexes where indexname like 'field\_%'
        and schemaname = ${after.database.schema}`),
      ).toEqual([]);
      expect(await after.count(plain.letters, { where: { to } })).toBe(1);
      await after.stop();
    });

    it("a view shows the visible documents of a collection, and dead letters", async () => {
      const engine = await place().start([post(plain)]);
      await engine.accept([...many(plain, 2), plain.letters.document("gone", { to: "p", text: "x" })]);
      await engine.settled();
      const operator = await openOperator({ database: engine.database, actor: "test" });
      await operator.deleteDocument({ collection: "letters", id: "gone" });
      const rows = await engine.database.query<Record<string, unknown>>(
        sql`select * from headway_read.letters order by id`,
      );
      expect(rows.map((row) => row.id)).toEqual(["l00000", "l00001"]);
      expect(Object.keys(rows[0] ?? {})).toEqual(["id", "body", "created_at", "changed_at"]);
      expect(rows[1]).toMatchObject({
        body: { to: "p1", text: "a b", pages: 1 },
        created_at: expect.any(Date),
      });
      expect(await engine.database.query(sql`select * from headway_read._dead_letters`)).toEqual([]);
      await engine.stop();
    });

    it("a projection follows inserts, changes, removals and deletions", async () => {
      const engine = await place().start([post(plain, [shown(plain.pages)])]);
      const db = engine.database;
      const { letters } = plain;
      const write = async (id: string, text: string) => {
        await engine.accept(letters.document(id, { to: "p", text }), { source: "desk" });
        await engine.settled();
      };
      await write("a", "one two three");
      await write("b", "four five");
      await expectInStep(db, 5);
      await write("a", "one changed! three");
      await expectInStep(db, 4);
      await write("a", "one two three");
      await expectInStep(db, 5);
      const operator = await openOperator({ database: db, actor: "test" });
      await operator.deleteDocument({ collection: "letters", id: "b" });
      await expectInStep(db, 3);
      await operator.reprocess({ stage: "splitting" });
      await engine.settled();
      await expectInStep(db, 3);
      await engine.stop();
    });

    it("a projection is built for documents that exist, made anew when it changes, and dropped", async () => {
      const { start } = place();
      const before = await start([post(plain)]);
      await before.accept(many(plain, 1_300));
      await before.settled();
      await before.stop();
      const first = await start([post(plain, [shown(plain.pages)])]);
      await expectInStep(first.database, 2_600);
      await first.stop();
      const second = await start([post(plain, [shown(plain.pages, "body ->> 'text'")])]);
      expect(
        await second.database.query(sql`select distinct word from headway_read.shown_pages order by word`),
      ).toEqual([{ word: "a" }, { word: "b" }]);
      await second.stop();
      const third = await start([post(plain)]);
      const [table] = await third.database.query(
        sql`select to_regclass('headway_read.shown_pages') as there`,
      );
      expect(table).toEqual({ there: null });
      await third.stop();
    });

    it("a projection with the name of a collection, or of another pipeline, is refused with one sentence", async () => {
      const { start } = place();
      const named = projection("letters", { of: plain.pages, columns: { text: "text" } });
      await expect(start([post(plain, [named])])).rejects.toThrow('"letters" has the name of a collection');
      const engine = await start([post(plain, [shown(plain.pages)])]);
      await engine.stop();
      const other = pipeline("other", {
        stages: [splittingOf(plain)],
        projections: [projection("shown_pages", { of: plain.pages, columns: { text: "text" } })],
      });
      await expect(start([other])).rejects.toThrow(
        'keeps text of pages, but in this database it belongs to pipeline "post"',
      );
    });
  });
}
