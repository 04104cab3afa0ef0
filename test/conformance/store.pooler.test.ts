import { randomUUID } from "node:crypto";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { pooled } from "../support/pgbouncer.ts";
import { describeStore } from "./store.ts";
import { describeCrowds } from "./store-crowds.ts";

const open = () =>
  openPostgres({
    url: pooled(process.env.HEADWAY_TEST_POSTGRES ?? ""),
    schema: `store-${randomUUID().slice(0, 8)}`,
    poolMax: 12,
  });
describeStore("PostgreSQL behind a transaction pooler", open);
describeCrowds("PostgreSQL behind a transaction pooler, many at once", open);
