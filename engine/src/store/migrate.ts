import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "./database.ts";
import { quoted, sql } from "./sql.ts";

export interface Migration {
  readonly number: number;
  /** The file's name without its ending, e.g. `0001_tasks`. */
  readonly name: string;
  readonly sha256: string;
  readonly text: string;
}

export type Applied = Pick<Migration, "number" | "name" | "sha256">;

/** The table of applied migrations: the engine's own, or a pipeline's. */
type Ledger = string;
const engineLedger: Ledger = "migration";

/**
 * Migrates a database to the code's schema, and returns the applied migrations. Several processes may do so at once.
 */
export async function migrate(
  db: Database,
  folder: URL | string,
  ledger: Ledger = engineLedger,
): Promise<readonly Applied[]> {
  const migrations = await readMigrations(folder);
  await createLedger(db, ledger);
  const applied: Applied[] = [];
  let done = await readLedger(db, ledger);
  checkLedger(db.place, done, migrations);
  while (done.length < migrations.length) {
    const next = migrations[done.length] as Migration;
    if (await apply(db, ledger, next))
      applied.push({ number: next.number, name: next.name, sha256: next.sha256 });
    done = await readLedger(db, ledger);
    checkLedger(db.place, done, migrations);
  }
  return applied;
}

/** Migrates the pipelines' own tables; each pipeline has a ledger of its own. */
export async function migratePipelines(
  db: Database,
  pipelines: readonly { readonly name: string; readonly migrations: URL | null }[],
): Promise<void> {
  for (const { name, migrations } of pipelines) if (migrations) await migrate(db, migrations, ledgerOf(name));
}

/** Migration state of a database; read only. */
export interface Standing {
  /** The engine's own tables, or a pipeline's. */
  readonly of: string;
  readonly applied: number;
  readonly known: number;
  /** Reason why this code cannot use the database; null: usable, or to be migrated. */
  readonly problem: string | null;
}

export async function standingOf(
  db: Database,
  { of, folder }: { of: string; folder: URL | string },
): Promise<Standing> {
  const ledger = of === "engine" ? engineLedger : ledgerOf(of);
  const migrations = await readMigrations(folder);
  const [found] = await db.query(sql`
    select 1 from pg_tables where schemaname = ${db.schema} and tablename = ${ledger}`);
  const done = found ? await readLedger(db, ledger) : [];
  const standing = { of, applied: done.length, known: migrations.length };
  try {
    checkLedger(db.place, done, migrations);
    return { ...standing, problem: null };
  } catch (error) {
    return { ...standing, problem: (error as Error).message };
  }
}

const ledgerOf = (pipeline: string): Ledger => `${engineLedger}_${pipeline.replaceAll(/\W/g, "_")}`;

/** Reads `0001_name.sql`, `0002_…` in order; a gap or a duplicate is a mistake in merging, and refused. */
export async function readMigrations(folder: URL | string): Promise<readonly Migration[]> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder;
  const files = (await readdir(path)).filter((file) => file.endsWith(".sql")).sort();
  const migrations: Migration[] = [];
  for (const [index, file] of files.entries()) {
    const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file);
    if (!match)
      throw new Error(`The migration ${file} is misnamed: expected a name such as 0007_alert_rules.sql.`);
    const number = Number(match[1]);
    if (number !== index + 1) throw new Error(misnumbered(file, { number, expected: index + 1 }));
    const text = await readFile(join(path, file), "utf8");
    if (/^\s*(begin|commit|rollback|start\s+transaction)\s*;/im.test(text)) {
      throw new Error(
        `The migration ${file} must not begin or end transactions: each migration is one already.`,
      );
    }
    const sha256 = createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
    migrations.push({ number, name: file.slice(0, -".sql".length), sha256, text });
  }
  return migrations;
}

const misnumbered = (file: string, { number, expected }: { number: number; expected: number }): string =>
  number < expected
    ? `There are two migrations with the number ${number}: ${file} needs a number of its own.`
    : `The migration ${file} leaves a gap: the next number is ${String(expected).padStart(4, "0")}.`;

// Held until the end of its script, so no session is needed and a pooler does no harm. The schema's name is
// substituted into this text too: two schemas do not wait for each other.
const lock = "select pg_advisory_xact_lock(hashtextextended('headway.migration', 0));";

async function createLedger(db: Database, ledger: Ledger): Promise<void> {
  const [found] = await db.query(sql`
    select 1
    from pg_tables
    where schemaname = ${db.schema} and tablename = ${ledger}
  `);
  if (found) return;
  const [schema] = await db.query(sql`select 1 from pg_namespace where nspname = ${db.schema}`);
  // Checked first, because "if not exists" demands the right to create schemas even with nothing to create.
  const create = schema ? "" : `create schema if not exists ${quoted(db.schema)};`;
  await db.script(`
    ${lock}
    ${create}
    create table if not exists headway.${quoted(ledger)} (
      number int4 primary key,
      name text not null,
      sha256 text not null,
      applied_at timestamptz not null default clock_timestamp()
    );
  `);
}

const readLedger = (db: Database, ledger: Ledger): Promise<Applied[]> =>
  db.query<Applied>({
    text: `select number, name, sha256 from headway.${quoted(ledger)} order by number`,
    values: [],
  });

function checkLedger(place: string, done: readonly Applied[], migrations: readonly Migration[]): void {
  for (const [index, { number, name, sha256 }] of done.entries()) {
    const migration = migrations[index];
    if (!migration) {
      throw new Error(
        `${place} has been migrated to ${name} by a newer Headway: upgrade this one to use it.`,
      );
    }
    if (number !== migration.number || sha256 !== migration.sha256) {
      throw new Error(
        `The migration ${migration.name} has changed since ${place} was migrated with ${name}: restore that file and put the change into a new migration.`,
      );
    }
  }
}

/** Returns false when another process was faster. */
async function apply(db: Database, ledger: Ledger, migration: Migration): Promise<boolean> {
  const { number, name, sha256, text } = migration;
  try {
    // One script is one transaction. The ledger row comes first: the second of two processes fails there, before any
    // harm. The values are our own (digits, [a-z0-9_], hex), so they may stand in the text.
    await db.script(`
      ${lock}
      insert into headway.${quoted(ledger)} (number, name, sha256) values (${number}, '${name}', '${sha256}');
      ${text}
    `);
    return true;
  } catch (error) {
    const done = await readLedger(db, ledger).catch(() => []);
    if (done.some((other) => other.number === number && other.sha256 === sha256)) return false;
    throw new Error(`The migration ${name} failed on ${db.place}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
