import { randomUUID } from "node:crypto";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { describeTrio } from "./stage-trio.ts";

const url = process.env.HEADWAY_TEST_POSTGRES ?? "";
describeTrio("PostgreSQL", () => openPostgres({ url, schema: `trio-${randomUUID().slice(0, 8)}` }));
