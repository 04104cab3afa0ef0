import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

/** The PostgreSQL server of all measurements. */
export const serverUrl = (): string =>
  process.env.HEADWAY_TEST_POSTGRES ?? readFileSync(".cache/services/postgres.url", "utf8").trim();

let made = 0;

/** Runs `act` on a database of its own, dropped afterwards, so no contender inherits rows. */
export async function onOwnDatabase<T>(act: (url: string) => Promise<T>): Promise<T> {
  const name = `headway_bench_${process.pid}_${++made}`;
  const url = new URL(serverUrl());
  await onServer((client) => client.query(`create database ${name}`));
  try {
    url.pathname = `/${name}`;
    return await act(url.href);
  } finally {
    await onServer(async (client) => {
      await client.query(`drop database if exists ${name} with (force)`);
      // Pending disk writes must not slow down the next measurement; `checkpoint` needs a superuser.
      await client.query("checkpoint").catch(() => undefined);
    });
  }
}

export async function onServer<T>(act: (client: pg.Client) => Promise<T>, url = serverUrl()): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

const shownSettings = [
  "server_version",
  "fsync",
  "synchronous_commit",
  "full_page_writes",
  "wal_level",
  "shared_buffers",
  "max_wal_size",
  "max_connections",
  "autovacuum",
];

/** Checks the server's settings: figures from a server without fsync are worthless. */
export async function readServerSettings(): Promise<Readonly<Record<string, string>>> {
  const rows = await onServer(async (client) => {
    const text = "select name, current_setting(name) as value from pg_settings where name = any ($1)";
    return (await client.query<{ name: string; value: string }>(text, [shownSettings])).rows;
  });
  const settings = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  for (const name of ["fsync", "synchronous_commit"]) {
    if (settings[name] !== "on")
      throw new Error(
        `The PostgreSQL has ${name} = ${settings[name]}: turn it on, or nothing here means anything.`,
      );
  }
  return settings;
}

/** The folder of PostgreSQL's own programs (pgbench, psql), or null. */
export function serverPrograms(): string | null {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).map(Number) : [];
  const folders = versions.sort((a, b) => b - a).map((version) => join(root, String(version), "bin"));
  const onPath = (process.env.PATH ?? "").split(":");
  return [...folders, ...onPath].find((folder) => existsSync(join(folder, "pgbench"))) ?? null;
}
