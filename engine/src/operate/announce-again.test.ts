import { afterAll, beforeAll, expect, it } from "vitest";
import { openOffice } from "../../../test/support/post-office.ts";
import { hashDatabase } from "../../../test/support/whole-database.ts";
import { openPglite } from "../databases/pglite.ts";
import type { Database } from "../store/database.ts";

let database: Database;
beforeAll(async () => {
  database = await openPglite({ folder: null, inline: true });
});
afterAll(() => database.close());

it("events of a time and a type are handed on again, as the same events, and that is written down", async () => {
  const { engine, operator, bring, clock } = await openOffice(database);
  await bring("early", ["fine"]);
  await engine.drain();
  clock.advance(3_600_000);
  const since = clock.now();
  await bring("late", ["bad one", "fine"]);
  await engine.drain();
  const waiting = async () =>
    (await operator.events()).filter((one) => one.relayed_at === null).map((one) => one.type);
  expect(await waiting()).toEqual([]);
  const all = (await operator.events()).map((one) => one.id);
  const before = await hashDatabase(database);
  expect(await operator.announceAgain({ since, dryRun: true })).toEqual({ events: 2, dryRun: true });
  expect(await hashDatabase(database)).toBe(before);
  expect(
    await operator.announceAgain({ since, type: "LetterStampingFailed", why: "the broker was wiped" }),
  ).toEqual({
    events: 1,
    dryRun: false,
  });
  expect(await waiting()).toEqual(["LetterStampingFailed"]);
  // Waiting events are not announced a third time.
  expect(await operator.announceAgain({ since })).toMatchObject({ events: 1 });
  expect(await waiting()).toEqual(["BoxOpened", "LetterStampingFailed"]);
  expect(await operator.announceAgain({ since })).toMatchObject({ events: 0 });
  expect(await operator.audit()).toMatchObject([
    { act: "events.again", detail: { events: 1 } },
    {
      actor: "ann",
      act: "events.again",
      target: `events since ${since.toISOString()} of type LetterStampingFailed`,
      why: "the broker was wiped",
    },
  ]);
  await engine.drain();
  expect(await waiting()).toEqual([]);
  expect((await operator.events()).map((one) => one.id)).toEqual(all);
});
