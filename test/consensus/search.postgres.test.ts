import { expect, it } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { describeSearch } from "./search.ts";

const { url, fresh } = useOwnSchema("search");
const server = await openPostgres({ url });
const [found] = await server.query(sql`select 1 from pg_available_extensions where name = 'vector'`);
await server.close();

if (found) describeSearch("PostgreSQL", () => ({ url, schema: fresh() }));
else it("PostgreSQL is not searched: pgvector is not installed here", () => expect(found).toBeUndefined());
