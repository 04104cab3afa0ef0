import { afterAll, beforeAll, expect, it } from "vitest";
import { makeHub } from "../../console/src/server/hub.ts";
import { openPostgres } from "../../engine/src/databases/postgres.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { type LettersWorld, openLetters } from "./worlds.ts";

const postgres = useOwnSchema("console_hub");
let world: LettersWorld;
let direct: Awaited<ReturnType<typeof openPostgres>>;
beforeAll(async () => {
  const place = { url: postgres.url, schema: postgres.fresh() };
  world = await openLetters(place);
  direct = await openPostgres(place);
});
afterAll(async () => {
  await direct?.close();
  await world?.close();
});

it("a reading that a lock holds up does not say that the database is away", async () => {
  const { operator } = world;
  let asked = 0;
  const answers = async () => {
    asked++;
    return await operator.breakers();
  };
  const hub = makeHub({ operator, answers });
  const kinds: string[] = [];
  await direct.transaction(async (tx) => {
    await tx.query(sql`lock table headway.alert in access exclusive mode`);
    hub.listen(({ kind }) => kinds.push(kind));
    await expect.poll(() => asked, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
    expect(kinds).toEqual([]);
  });
  await expect.poll(() => kinds[0], { timeout: 60_000 }).toBe("levels");
  expect(kinds).not.toContain("away");
  hub.close();
});
