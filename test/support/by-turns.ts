import { randomInt } from "node:crypto";

/**
 * The places something is tried in: all of them, or on the build machine, whose minutes are few, one of them each time. What is
 * told apart there is mostly the database, and that has suites of its own which are always run in full.
 */
export function byTurns<T>(places: readonly T[]): readonly T[] {
  if (!process.env.CI || process.env.HEADWAY_TEST_ALL) return places;
  return [places[randomInt(places.length)] as T];
}
