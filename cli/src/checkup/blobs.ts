import type { Blobs } from "@headway/consensus";
import type { Database } from "@headway/engine/operate";
import { openKeptBlobs } from "../kept-blobs.ts";
import { type BlobOwner, readBlobOwners } from "../needed-blobs.ts";
import type { Place } from "../shared-options.ts";
import { showCount } from "../terminal.ts";
import { type Finding, findingsOf } from "./finding.ts";

const namedMax = 3;

/** Bytes of archives and manuals: presence and, with `deep`, integrity of each blob; and blobs without an owner. */
export async function checkBlobs(place: Place, database: Database, deep: boolean): Promise<Finding> {
  const { ok, warn, bad } = findingsOf("blobs");
  const blobs = await openKeptBlobs(place, database);
  // Other pipelines lack these tables.
  const owners = await readBlobOwners(database).catch(() => null);
  const all = await blobs.list().catch(() => null);
  if (!owners || !all) return ok("There are no archives here.");
  const there = new Set(all);
  const missing = owners.filter(({ blob }) => !there.has(blob));
  if (missing.length > 0)
    return bad(`${countOf(missing)} lost their bytes (${named(missing)}): ${cureOf(missing)}.`);
  if (!deep) return ok(`${countOf(owners)}, each with its bytes (--deep reads them all).`);
  const damaged = await findDamaged(blobs, owners);
  if (damaged.length > 0)
    return bad(`${countOf(damaged)} ${be(damaged)} damaged (${named(damaged)}): ${cureOf(damaged)}.`);
  const needed = new Set(owners.map(({ blob }) => blob));
  const orphans = all.filter((blob) => !needed.has(blob)).map((id) => ({ id }));
  return orphans.length > 0
    ? warn(
        `${countOf(owners)} ${be(owners)} whole; ${showCount(orphans.length, "blob")} in ${blobs.place} belong to none (${named(orphans)}) and can be deleted while nothing is being read.`,
      )
    : ok(`${countOf(owners)} ${be(owners)} whole, and nothing else is in ${blobs.place}.`);
}

/** `2 archives and 1 manual`; without manuals only archives are named. */
function countOf(owners: readonly BlobOwner[]): string {
  const manuals = owners.filter(({ command }) => command === "headway manuals ingest").length;
  const archives = owners.length - manuals;
  const parts = [
    ...(archives > 0 || manuals === 0 ? [showCount(archives, "archive")] : []),
    ...(manuals > 0 ? [showCount(manuals, "manual")] : []),
  ];
  return parts.join(" and ");
}

const be = ({ length }: readonly unknown[]): string => (length === 1 ? "is" : "are");

function cureOf(owners: readonly BlobOwner[]): string {
  const commands = [...new Set(owners.map(({ command }) => `"${command} PATH"`))];
  return `read them again with ${commands.join(" and ")}, or restore a backup`;
}

const named = (owners: readonly Pick<BlobOwner, "id">[]): string =>
  owners
    .slice(0, namedMax)
    .map(({ id }) => id)
    .join(", ") + (owners.length > namedMax ? ", …" : "");

/** Reads each blob to its end, with a check of the hash. */
async function findDamaged(blobs: Blobs, owners: readonly BlobOwner[]): Promise<BlobOwner[]> {
  const damaged: BlobOwner[] = [];
  for (const owner of owners) {
    try {
      for await (const _ of blobs.open(owner.blob));
    } catch {
      damaged.push(owner);
    }
  }
  return damaged;
}
