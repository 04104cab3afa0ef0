import { randomUUID } from "node:crypto";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { describeStore } from "./store.ts";
import { describeCrowds } from "./store-crowds.ts";

const url = process.env.HEADWAY_TEST_POSTGRES ?? "";
const open = () => openPostgres({ url, schema: `store-${randomUUID().slice(0, 8)}`, poolMax: 12 });
describeStore("PostgreSQL", open);
describeCrowds("PostgreSQL, many at once", open);
