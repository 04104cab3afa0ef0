import { type Blobs, readKnown } from "@headway/consensus";
import type { Database } from "@headway/engine/operate";
import { openKeptBlobs } from "../kept-blobs.ts";
import type { Place } from "../shared-options.ts";
import { showCount } from "../terminal.ts";
import { type Finding, findingsOf } from "./finding.ts";

const namedMax = 3;

/** Archive bytes: presence and, with `deep`, integrity of each blob; and blobs without an archive. */
export async function checkBlobs(place: Place, database: Database, deep: boolean): Promise<Finding> {
  const { ok, warn, bad } = findingsOf("blobs");
  const blobs = await openKeptBlobs(place, database);
  // Other pipelines lack these tables.
  const known = await readKnown(database).catch(() => null);
  const all = await blobs.list().catch(() => null);
  if (!known || !all) return ok("There are no archives here.");
  const needed = new Map([...known.byId].map(([id, { blob }]) => [blob, id]));
  const there = new Set(all);
  const missing = [...needed].filter(([blob]) => !there.has(blob));
  if (missing.length > 0)
    return bad(
      `${showCount(missing.length, "archive")} lost their bytes (${named(missing.map(([, id]) => id))}): read them again with "headway ingest PATH", or restore a backup.`,
    );
  if (!deep) return ok(`${showCount(needed.size, "archive")}, each with its bytes (--deep reads them all).`);
  const damaged = await findDamaged(blobs, [...needed]);
  if (damaged.length > 0)
    return bad(
      `${showCount(damaged.length, "archive is", "archives are")} damaged (${named(damaged)}): read them again with "headway ingest PATH", or restore a backup.`,
    );
  const orphans = all.filter((blob) => !needed.has(blob));
  return orphans.length > 0
    ? warn(
        `${showCount(needed.size, "archive is", "archives are")} whole; ${showCount(orphans.length, "blob")} in ${blobs.place} belong to none (${named(orphans)}) and can be deleted while nothing is being read.`,
      )
    : ok(
        `${showCount(needed.size, "archive is", "archives are")} whole, and nothing else is in ${blobs.place}.`,
      );
}

const named = (names: readonly string[]): string =>
  names.slice(0, namedMax).join(", ") + (names.length > namedMax ? ", …" : "");

/** Reads each blob to its end, with a check of the hash. */
async function findDamaged(blobs: Blobs, needed: readonly (readonly [string, string])[]): Promise<string[]> {
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
