import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Migration {
  readonly number: number;
  /** The file's name without its ending, e.g. `0001_tasks`. */
  readonly name: string;
  readonly sha256: string;
  readonly text: string;
}

export type Applied = Pick<Migration, "number" | "name" | "sha256">;

/** Migrations replaced by a single migration: a database at exactly the last replaced migration continues, an older database is refused. */
export interface Squash {
  /** The migration that makes the same tables. */
  readonly into: string;
  readonly last: Applied;
  /** The code that migrates older databases to `last`. */
  readonly madeBy: string;
}

export interface MigrationsFolder {
  /** `0001_name.sql`, `0002_…` */
  readonly migrations: readonly Migration[];
  /** All files of `functions/` as one script, applied whole whenever one has changed. In the ledger its number is 0. */
  readonly functions: Migration | null;
  /** `squashed.json` */
  readonly squash: Squash | null;
}

export async function readMigrationsFolder(folder: URL | string): Promise<MigrationsFolder> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder;
  const names = await readdir(path);
  return {
    migrations: await readMigrations(path, names.filter((name) => name.endsWith(".sql")).sort()),
    functions: names.includes("functions") ? await readFunctions(join(path, "functions")) : null,
    squash: names.includes("squashed.json")
      ? (JSON.parse(await readFile(join(path, "squashed.json"), "utf8")) as Squash)
      : null,
  };
}

/** In order; a gap or a duplicate is a mistake in merging, and refused. */
async function readMigrations(path: string, files: readonly string[]): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const [index, file] of files.entries()) {
    const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file);
    if (!match)
      throw new Error(`The migration ${file} is misnamed: expected a name such as 0007_alert_rules.sql.`);
    const number = Number(match[1]);
    if (number !== index + 1) throw new Error(misnumbered(file, { number, expected: index + 1 }));
    const text = await readScript(path, file);
    migrations.push({ number, name: file.slice(0, -".sql".length), sha256: hashOf(text), text });
  }
  return migrations;
}

async function readFunctions(path: string): Promise<Migration> {
  const files = (await readdir(path)).filter((name) => name.endsWith(".sql")).sort();
  const text = (await Promise.all(files.map((file) => readScript(path, file)))).join("\n");
  return { number: 0, name: "functions", sha256: hashOf(text), text };
}

async function readScript(path: string, file: string): Promise<string> {
  const text = (await readFile(join(path, file), "utf8")).replaceAll("\r\n", "\n");
  if (/^\s*(begin|commit|rollback|start\s+transaction)\s*;/im.test(text)) {
    throw new Error(
      `The migration ${file} must not begin or end transactions: each migration is one already.`,
    );
  }
  return text;
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const misnumbered = (file: string, { number, expected }: { number: number; expected: number }): string =>
  number < expected
    ? `There are two migrations with the number ${number}: ${file} needs a number of its own.`
    : `The migration ${file} leaves a gap: the next number is ${String(expected).padStart(4, "0")}.`;
