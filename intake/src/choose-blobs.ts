import type { Database, DatabaseOption } from "@headway/engine";
import type { Blobs } from "./blobs.ts";
import { makeDatabaseBlobs } from "./database-blobs.ts";
import { openFolderBlobs } from "./folder-blobs.ts";

export interface BlobsOptions {
  readonly folder: string;
  readonly database: Promise<Database>;
  /** Kind of the database: machines with a common server need no common folder. */
  readonly option: DatabaseOption;
  /** `auto`: in the database on a server, else in the folder. */
  readonly settings: { readonly blobs: "auto" | "folder" | "database" };
}

/** Opens the requested store; blobs in the other store are still found. */
export async function openBlobs({ folder, database, option, settings }: BlobsOptions): Promise<Blobs> {
  const inDatabase = makeDatabaseBlobs(database);
  const inFolder = await openFolderBlobs(folder);
  const kind = settings.blobs === "auto" ? ("url" in option ? "database" : "folder") : settings.blobs;
  return kind === "database" ? joinBlobs(inDatabase, inFolder) : joinBlobs(inFolder, inDatabase);
}

/** Stores in the first of two, and finds in both. */
export function joinBlobs(first: Blobs, second: Blobs): Blobs {
  return {
    place: first.place,
    put: first.put,
    async *open(sha256, options) {
      const there = (await first.has(sha256)) || !(await second.has(sha256));
      yield* (there ? first : second).open(sha256, options);
    },
    has: async (sha256) => (await first.has(sha256)) || (await second.has(sha256)),
    list: async () => [...new Set([...(await first.list()), ...(await second.list())])],
    async remove(sha256) {
      await first.remove(sha256);
      await second.remove(sha256);
    },
  };
}
