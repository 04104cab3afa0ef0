import { type Dirent, existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { openFolderBlobs, readKnown } from "@headway/consensus";
import type { Database } from "@headway/engine/operate";
import { showCount } from "../terminal.ts";
import { type Finding, findingsOf } from "./finding.ts";

const namedMax = 3;

/** The bytes of archives: whether each is there and, with `deep`, still the one that was stored; and whether any is nobody's. */
export async function checkBlobs(data: string, database: Database, deep: boolean): Promise<Finding> {
  const { ok, warn, bad } = findingsOf("blobs");
  const folder = join(data, "blobs");
  const known = await readKnown(database).catch(() => null);
  if (!known) return ok("There are no archives here.");
  const needed = new Map([...known.byId].map(([id, { blob }]) => [blob, id]));
  const there = new Set(await listBlobs(folder));
  const missing = [...needed].filter(([blob]) => !there.has(blob));
  if (missing.length > 0)
    return bad(
      `${showCount(missing.length, "archive")} lost their bytes (${named(missing.map(([, id]) => id))}): read them again with "headway ingest PATH", or restore a backup.`,
    );
  if (!deep) return ok(`${showCount(needed.size, "archive")}, each with its bytes (--deep reads them all).`);
  const damaged = await findDamaged(folder, [...needed]);
  if (damaged.length > 0)
    return bad(
      `${showCount(damaged.length, "archive is", "archives are")} damaged (${named(damaged)}): read them again with "headway ingest PATH", or restore a backup.`,
    );
  const orphans = [...there].filter((blob) => !needed.has(blob));
  return orphans.length > 0
    ? warn(
        `${showCount(needed.size, "archive is", "archives are")} whole; ${showCount(orphans.length, "blob")} in ${folder} belong to none (${named(orphans)}) and can be deleted while nothing is being read.`,
      )
    : ok(`${showCount(needed.size, "archive is", "archives are")} whole, and nothing else is in ${folder}.`);
}

const named = (names: readonly string[]): string =>
  names.slice(0, namedMax).join(", ") + (names.length > namedMax ? ", …" : "");

async function listBlobs(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const shelves = (await readdir(folder, { withFileTypes: true })).filter(isShelf);
  const names = await Promise.all(
    shelves.map(async ({ name }) => (await readdir(join(folder, name))).map((rest) => name + rest)),
  );
  return names.flat();
}

const isShelf = (entry: Dirent): boolean => entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name);

/** Reads each of them to its end, where its hash is compared. */
async function findDamaged(
  folder: string,
  needed: readonly (readonly [string, string])[],
): Promise<string[]> {
  const blobs = await openFolderBlobs(folder);
  const damaged: string[] = [];
  for (const [blob, id] of needed) {
    try {
      for await (const _ of blobs.open(blob));
    } catch {
      damaged.push(id);
    }
  }
  return damaged;
}
