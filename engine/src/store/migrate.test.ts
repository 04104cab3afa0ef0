import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openPglite } from "../databases/pglite.ts";
import type { Database } from "./database.ts";
import { migrate, migratePipelines, standingOf } from "./migrate.ts";
import { sql } from "./sql.ts";

describe("migrate", () => {
  let db: Database;
  let folder: string;
  beforeAll(async () => {
    db = await openPglite({ folder: null, inline: true, schema: "moved" });
  }, 60_000);
  afterAll(() => db.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "headway-migrate-"));
    await db.script('drop schema if exists "moved" cascade');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const names = async () => (await migrate(db, folder)).map(({ name }) => name);
  const failure = async (): Promise<string> =>
    migrate(db, folder).then(
      () => "",
      (error: Error) => error.message,
    );
  const ledger = () =>
    db.query<{ name: string }>(
      sql`select number, name, applied_at > now() - interval '1 minute' as now from headway.migration`,
    );

  it("creates the schema and applies what is new, once", async () => {
    await write("0001_tables.sql", "create table headway.a (id int8);\n-- the end");
    await write("0002_more.sql", "create table headway.b (id int8); insert into headway.b values (1), (2)");
    expect(await names()).toEqual(["0001_tables", "0002_more"]);
    expect(await names()).toEqual([]);
    await write("0003_rest.sql", "drop table headway.a;");
    expect(await names()).toEqual(["0003_rest"]);
    expect(await db.query(sql`select count(*) as count from headway.b`)).toEqual([{ count: 2 }]);
    expect(await ledger()).toEqual([
      { number: 1, name: "0001_tables", now: true },
      { number: 2, name: "0002_more", now: true },
      { number: 3, name: "0003_rest", now: true },
    ]);
  });

  it("applies a pipeline's migrations once, beside the engine's of the same numbers", async () => {
    await write("0001_tables.sql", "create table headway.a (id int8)");
    expect(await names()).toEqual(["0001_tables"]);
    await write("0001_tables.sql", "create table headway.b (id int8)");
    const pipelines = [
      { name: "my-mail", migrations: pathToFileURL(`${folder}/`) },
      { name: "plain", migrations: null },
    ];
    await migratePipelines(db, pipelines);
    await migratePipelines(db, pipelines);
    expect(await db.query(sql`select name from headway.migration_my_mail`)).toEqual([
      { name: "0001_tables" },
    ]);
    expect(await db.query(sql`select count(*) as count from headway.b`)).toEqual([{ count: 0 }]);
  });

  it("takes the folder as a URL too, and does nothing when it is empty", async () => {
    expect(await migrate(db, pathToFileURL(`${folder}/`))).toEqual([]);
  });

  it("works in a schema that exists already", async () => {
    await db.script('create schema "moved"');
    await write("0001_tables.sql", "create table headway.a (id int8)");
    expect(await names()).toEqual(["0001_tables"]);
  });

  it("may be called by many at once: each migration is applied by one of them", async () => {
    await write("0001_one.sql", "create table headway.a (id int8)");
    await write("0002_two.sql", "insert into headway.a values (1)");
    const applied = await Promise.all([names(), names(), names()]);
    expect(applied.flat().sort()).toEqual(["0001_one", "0002_two"]);
    expect(await db.query(sql`select * from headway.a`)).toEqual([{ id: 1 }]);
  });

  it("leaves nothing of a migration that fails, and can be called again when it is mended", async () => {
    await write("0001_good.sql", "create table headway.a (id int8)");
    await write(
      "0002_bad.sql",
      "create table headway.b (id int8); select 1 / 0; create table headway.c (id int8)",
    );
    expect(await failure()).toBe("The migration 0002_bad failed on memory: division by zero");
    expect(await db.query(sql`select to_regclass('headway.b') as b`)).toEqual([{ b: null }]);
    expect(await ledger()).toHaveLength(1);
    await write("0002_bad.sql", "create table headway.b (id int8)");
    expect(await names()).toEqual(["0002_bad"]);
  });

  it("refuses a migration that was edited after it was applied", async () => {
    await write("0001_tables.sql", "create table headway.a (id int8)");
    await migrate(db, folder);
    await write("0001_tables.sql", "create table headway.a (id int4)");
    expect(await failure()).toMatch(
      /^The migration 0001_tables has changed since memory was migrated .* new migration\.$/,
    );
  });

  it("does not mind the line ends of Windows", async () => {
    await write("0001_tables.sql", "create table headway.a (\n  id int8\n)");
    await migrate(db, folder);
    await write("0001_tables.sql", "create table headway.a (\r\n  id int8\r\n)");
    expect(await names()).toEqual([]);
  });

  it("refuses a database that is newer than the code, and says to upgrade", async () => {
    await write("0001_tables.sql", "create table headway.a (id int8)");
    await write("0002_more.sql", "create table headway.b (id int8)");
    await migrate(db, folder);
    await rm(join(folder, "0002_more.sql"));
    expect(await failure()).toBe(
      "memory has been migrated to 0002_more by a newer Headway: upgrade this one to use it.",
    );
  });

  const mistakes: readonly [string, files: readonly string[], string][] = [
    [
      "a gap",
      ["0001_a.sql", "0003_c.sql"],
      "The migration 0003_c.sql leaves a gap: the next number is 0002.",
    ],
    ["a gap at the start", ["0002_b.sql"], "The migration 0002_b.sql leaves a gap: the next number is 0001."],
    [
      "a number used twice",
      ["0001_a.sql", "0001_b.sql"],
      "There are two migrations with the number 1: 0001_b.sql needs a number of its own.",
    ],
    [
      "a name that is none",
      ["1_a.sql"],
      "The migration 1_a.sql is misnamed: expected a name such as 0007_alert_rules.sql.",
    ],
  ];
  for (const [what, files, sentence] of mistakes) {
    it(`refuses ${what} before it touches the database`, async () => {
      for (const file of files) await write(file, "select 1");
      expect(await failure()).toBe(sentence);
      expect(await db.query(sql`select 1 from pg_namespace where nspname = 'moved'`)).toEqual([]);
    });
  }

  it("refuses a migration that ends its own transaction", async () => {
    await write("0001_a.sql", "create table headway.a (id int8);\ncommit;");
    expect(await failure()).toContain("must not begin or end transactions");
  });

  describe("functions", () => {
    beforeEach(async () => {
      await write("0001_tables.sql", "create table headway.a (id int8)");
      await mkdir(join(folder, "functions"));
    });
    const define = (answer: number) =>
      write(
        "functions/answer.sql",
        `create or replace function headway.answer() returns int language sql as 'select ${answer}';`,
      );
    const answer = () => db.query(sql`select headway.answer() as answer`);
    const appliedAt = () => db.query(sql`select applied_at from headway.migration where number = 0`);

    it("are applied whole after the migrations, and again when a file has changed", async () => {
      await define(41);
      expect(await names()).toEqual(["0001_tables"]);
      expect(await answer()).toEqual([{ answer: 41 }]);
      await define(42);
      expect(await names()).toEqual([]);
      expect(await answer()).toEqual([{ answer: 42 }]);
    });

    it("are left alone when nothing has changed", async () => {
      await define(41);
      await migrate(db, folder);
      const before = await appliedAt();
      await migrate(db, folder);
      expect(await appliedAt()).toEqual(before);
    });

    it("may be applied by many at once", async () => {
      await define(41);
      await Promise.all([names(), names(), names()]);
      await define(42);
      await Promise.all([names(), names(), names()]);
      expect(await answer()).toEqual([{ answer: 42 }]);
    });

    it("keep the old form when the new one is no SQL", async () => {
      await define(41);
      await migrate(db, folder);
      await write("functions/answer.sql", "create function headway.answer() returns nonsense");
      expect(await failure()).toMatch(/^The migration functions failed on memory: /);
      expect(await answer()).toEqual([{ answer: 41 }]);
      await define(42);
      await migrate(db, folder);
      expect(await answer()).toEqual([{ answer: 42 }]);
    });
  });

  describe("after a squash", () => {
    const squash = async () => {
      const applied = await migrate(db, folder);
      const last = applied.at(-1);
      return async () => {
        await rm(folder, { recursive: true });
        await mkdir(folder);
        await write("0001_schema.sql", "create table headway.a (id int8, name text)");
        await write("squashed.json", JSON.stringify({ into: "0001_schema", last, madeBy: "version 1" }));
      };
    };
    const rows = async () => (await ledger()).map(({ name }) => name);
    beforeEach(async () => {
      await write("0001_one.sql", "create table headway.a (id int8)");
      await write("0002_two.sql", "alter table headway.a add column name text");
    });

    it("a database at the last of the old migrations continues", async () => {
      await (await squash())();
      expect(await names()).toEqual([]);
      expect(await rows()).toEqual(["0001_schema"]);
      await write("0002_more.sql", "create table headway.b (id int8)");
      expect(await names()).toEqual(["0002_more"]);
      expect(await names()).toEqual([]);
    });

    it("many at once continue, and none forgets a newer migration", async () => {
      await (await squash())();
      await write("0002_more.sql", "create table headway.b (id int8)");
      expect((await Promise.all([names(), names(), names()])).flat()).toEqual(["0002_more"]);
      expect(await rows()).toEqual(["0001_schema", "0002_more"]);
    });

    it("a new database is made by the new migration", async () => {
      const replace = await squash();
      await db.script('drop schema "moved" cascade');
      await replace();
      expect(await names()).toEqual(["0001_schema"]);
    });

    it("an older database is refused, and the sentence says what helps", async () => {
      const replace = await squash();
      await db.script("delete from headway.migration where number = 2");
      await replace();
      const sentence =
        "memory stands at 0001_one, and this Headway continues from 0002_two only: open it once with version 1, then again with this one.";
      expect(await failure()).toBe(sentence);
      expect(await standingOf(db, { of: "engine", folder })).toMatchObject({ problem: sentence });
      expect(await rows()).toEqual(["0001_one"]);
    });

    it("looking at a database of before finds nothing wrong, and changes nothing", async () => {
      await (await squash())();
      expect(await standingOf(db, { of: "engine", folder })).toMatchObject({
        applied: 1,
        known: 1,
        problem: null,
      });
      expect(await rows()).toEqual(["0001_one", "0002_two"]);
    });
  });
});
