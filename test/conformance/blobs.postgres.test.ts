import { randomUUID } from "node:crypto";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { describeBlobs } from "./blobs.ts";
import { openDatabaseShelf } from "./database-blobs.ts";

const url = process.env.HEADWAY_TEST_POSTGRES ?? "";
describeBlobs(
  "PostgreSQL",
  async () =>
    await openDatabaseShelf(await openPostgres({ url, schema: `blobs-${randomUUID().slice(0, 8)}` })),
);
