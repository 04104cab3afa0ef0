import { openPglite } from "../../engine/src/databases/pglite.ts";
import { describeBlobs } from "./blobs.ts";
import { openDatabaseShelf } from "./database-blobs.ts";

describeBlobs(
  "PGlite",
  async () => await openDatabaseShelf(await openPglite({ folder: null, inline: true })),
);
