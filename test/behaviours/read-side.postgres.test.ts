import { expect, it } from "vitest";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { sql } from "../../engine/src/index.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { describeReadSide, expectInStep, indexed, many, plain, post, shown } from "./read-side.ts";

const own = useOwnSchema("read_side");

const placeOf = (schema = own.fresh()) => ({
  schema,
  start: (pipelines: Parameters<typeof own.start>[0]["pipelines"]) =>
    own.start({ pipelines, services: {}, schema }),
});

describeReadSide("PostgreSQL", placeOf);

it("an index whose making was cut off is made again, by two processes that start at once", async () => {
  const { start, schema } = placeOf();
  const first = await start([post(indexed)]);
  await first.stop();
  await own.direct.query(sql`
    update pg_index set indisvalid = false
    where indexrelid in (select oid from pg_class where relname like 'field\_%' and relnamespace = ${`"${schema}"`}::regnamespace)`);
  const both = await Promise.all([start([post(indexed)]), start([post(indexed)])]);
  const rows = await own.direct.query<{ valid: boolean }>(sql`
    select i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relname like 'field\_%' and c.relnamespace = ${`"${schema}"`}::regnamespace`);
  expect(rows).toEqual([{ valid: true }, { valid: true }, { valid: true }]);
  for (const engine of both) await engine.stop();
});

it("a projection declared while others write misses none of their documents", async () => {
  const { start, schema } = placeOf();
  const old = await start([post(plain)]);
  const writing = Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      await old.accept(many(plain, 4_000).slice(at * 100, at * 100 + 100));
    }),
  );
  const fresh = await start([post(plain, [shown(plain.pages)])]);
  await writing;
  await fresh.settled();
  const direct = await openPostgres({ url: own.url, schema });
  await expectInStep(direct, 8_000);
  await direct.close();
  await old.stop();
  await fresh.stop();
});
