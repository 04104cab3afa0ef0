import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { anMbox } from "../consensus/invented-mail.ts";
import { headway, serverUrl, threeMails, useSmallLists } from "./small-list.ts";

const lists = useSmallLists();
const names = ["from", "to"].map((word) => `dump_${word}_${randomUUID().slice(0, 8)}`) as [string, string];
const urlOf = (name: string) => Object.assign(new URL(serverUrl()), { pathname: `/${name}` }).href;

async function onServer(...statements: readonly string[]): Promise<void> {
  const database = await openPostgres({ url: serverUrl() });
  for (const statement of statements) await database.script(statement);
  await database.close();
}

afterAll(() => onServer(...names.map((name) => `drop database if exists ${name} with (force)`)));

it("the printed pg_dump command is whole: pg_restore into an empty database has no error", async () => {
  const folder = await lists.folder();
  const [from, to] = names;
  await onServer(...names.map((name) => `create database ${name}`));
  await writeFile(join(folder, "tides.mbox"), anMbox(...threeMails));
  const place = ["--data", join(folder, "kept"), "--database", urlOf(from)];
  expect(await headway("ingest", join(folder, "tides.mbox"), ...place)).toMatchObject({ code: 0 });
  const { err } = await headway("backup", ...place);
  const [command] = /pg_dump [^,]*?"[^"]*"/.exec(err) ?? [];
  const env = { ...process.env, PGPASSWORD: decodeURIComponent(new URL(serverUrl()).password) };
  execFileSync("sh", ["-c", command ?? "false"], { cwd: folder, env });
  execFileSync("pg_restore", ["--exit-on-error", "--dbname", urlOf(to), join(folder, "headway.dump")], {
    env,
  });
  const restored = await openPostgres({ url: urlOf(to) });
  const [row] = await restored.query<{ documents: number }>(
    sql`select count(*) as documents from headway.document d join headway.collection c on c.id = d.collection
        where c.name = 'messages'`,
  );
  await restored.close();
  expect(row?.documents).toBe(3);
});
