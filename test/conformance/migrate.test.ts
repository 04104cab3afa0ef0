import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { migrate } from "../../engine/src/store/migrate.ts";
import { sql } from "../../engine/src/store/sql.ts";

const url = process.env.HEADWAY_TEST_POSTGRES ?? "";

describe("migrating one PostgreSQL from several places", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "headway-migrate-"));
    await writeFile(join(folder, "0001_a.sql"), "create table headway.a (id int8); select pg_sleep(0.05);");
    await writeFile(join(folder, "0002_b.sql"), "insert into headway.a values (1);");
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("all who start at once succeed, and each migration is applied once", async () => {
    const schema = `migrate_${randomUUID().slice(0, 8)}`;
    const databases = await Promise.all(Array.from({ length: 5 }, () => openPostgres({ url, schema })));
    const applied = await Promise.all(databases.map((db) => migrate(db, folder)));
    expect(
      applied
        .flat()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["0001_a", "0002_b"]);
    expect(await databases[0]?.query(sql`select * from headway.a`)).toEqual([{ id: 1 }]);
    await databases[0]?.script(`drop schema "${schema}" cascade`);
    await Promise.all(databases.map((db) => db.close()));
  });
});
