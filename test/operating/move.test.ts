import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { shippedApp } from "../../cli/src/app/shipped-app.ts";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { migrateAll, openDatabase } from "../../engine/src/engine.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { startFromSources } from "../consensus/headway-process.ts";
import { headway, serverUrl, useSmallLists } from "./small-list.ts";

const lists = useSmallLists();
const schemas: string[] = [];

afterAll(async () => {
  const database = await openPostgres({ url: serverUrl() });
  for (const schema of schemas)
    await database.script(
      `drop schema if exists "${schema}" cascade; drop schema if exists "${schema}_read" cascade`,
    );
  await database.close();
});

function newPlace(): { schema: string; url: string } {
  const schema = `moved_${randomUUID().slice(0, 8)}`;
  schemas.push(schema);
  const url = new URL(serverUrl());
  url.searchParams.set("schema", schema);
  return { schema, url: url.href };
}

describe("moving house", () => {
  it("brings every row to a server and back, after kill -9 too, and the house works there", async () => {
    const list = await lists.read("pglite");
    const kept = join(list.folder, "kept");
    await list.headway("note", "stage:parsing", "before the move");
    const { schema, url } = newPlace();
    const plan = await headway("move", "--to", url, "--data", kept, "--dry-run", "--json");
    expect(JSON.parse(plan.out).rows).toBeGreaterThan(50);

    await killHalfWay(["move", "--to", url, "--data", kept], { cwd: list.folder, schema });

    const again = await headway("move", "--to", url, "--data", kept, "--json");
    expect(again.code, again.err).toBe(0);
    const moved = JSON.parse(again.out);
    expect(moved).toMatchObject({ verified: true, resumed: true });
    expect(moved.rows).toBe(JSON.parse(plan.out).rows + actOfTheMove);

    const there = ["--data", kept, "--database", url];
    expect((await headway("threads", ...there)).out).toContain("Tide gauges");
    expect((await headway("search", "gauges", ...there)).out).toContain("Tide gauges");
    expect((await headway("note", "stage:parsing", ...there)).out).toContain("before the move");
    expect((await headway("audit", "--act", "database", ...there)).out).toContain("database.move");
    const twice = await headway("move", "--to", url, "--data", kept);
    expect(twice.err).toContain("is not empty");

    const back = join(list.folder, "back");
    const home = await headway("move", "--to", back, ...there, "--json");
    expect(home.code, home.err).toBe(0);
    expect((await headway("threads", "--data", back)).out).toContain("Tide gauges");
    expect((await headway("verify", "--data", back)).code).toBe(0);
    expect(await documentsIn(back)).toBe(await documentsIn(kept));
  });
});

/** The act is recorded at the source before the first row is copied. */
const actOfTheMove = 1;

/** Kills the command with kill -9 while a lock holds its copy at the documents: other tables have arrived, documents have not. */
async function killHalfWay(words: string[], { cwd, schema }: { cwd: string; schema: string }): Promise<void> {
  const database = await openPostgres({ url: serverUrl(), schema });
  try {
    await migrateAll(database, shippedApp.pipelines());
    await database.transaction(async (tx) => {
      await tx.query(sql`lock table headway.document in exclusive mode`);
      const move = startFromSources(words, { cwd });
      await expect.poll(() => collectionsIn(schema), { timeout: 60_000 }).toBeGreaterThan(0);
      move.kill();
      await move.ended;
    });
    const [row] = await database.query<{ documents: number }>(
      sql`select count(*)::int4 as documents from headway.document`,
    );
    expect(row?.documents).toBe(0);
  } finally {
    await database.close();
  }
}

async function collectionsIn(schema: string): Promise<number> {
  const database = await openPostgres({ url: serverUrl(), schema });
  const [row] = await database.query<{ rows: number }>(
    sql`select count(*)::int4 as rows from headway.collection`,
  );
  await database.close();
  return row?.rows ?? 0;
}

async function documentsIn(folder: string): Promise<number> {
  const database = await openDatabase({ folder }, { poolMax: 1 });
  const [row] = await database.query<{ documents: number }>(
    sql`select count(*)::int4 as documents from headway.document`,
  );
  await database.close();
  return row?.documents ?? -1;
}
