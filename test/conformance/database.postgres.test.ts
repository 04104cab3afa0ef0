import { randomUUID } from "node:crypto";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { describeDatabase } from "./database.ts";

const url = process.env.HEADWAY_TEST_POSTGRES ?? "";
describeDatabase("PostgreSQL", () =>
  openPostgres({ url, schema: `conformance-${randomUUID().slice(0, 8)}` }),
);
