import { randomInt } from "node:crypto";

/**
 * Whole files that take long, and try through commands and processes what quicker ones try as well. On the build machine (`CI`),
 * whose minutes are few and not always as long, a third of them has its turn each time; `HEADWAY_TEST_ALL=1`, and every run
 * elsewhere, has them all.
 */
const turns = [
  [
    "test/conformance/pglite.test.ts",
    "test/operating/snapshot.test.ts",
    "test/operating/steering.test.ts",
    "test/operating/sweep-command.test.ts",
    "test/drill/command.test.ts",
    "tools/example.test.ts",
    "test/operating/requeue.test.ts",
    "test/behaviours/broker.test.ts",
    "test/operating/bench-command.test.ts",
    "test/consensus/language-model.test.ts",
    "test/operating/up.test.ts",
  ],
  [
    "test/consensus/poison.test.ts",
    "test/operating/trust.test.ts",
    "test/consensus/growing.test.ts",
    "test/consensus/refusals.test.ts",
    "test/operating/failed.test.ts",
  ],
  [
    "test/faults/broker.test.ts",
    "test/consensus/start.test.ts",
    "test/faults/connections.test.ts",
    "test/faults/clocks-and-settings.test.ts",
    "tools/services.test.ts",
  ],
] as const;

/** Those that rest this time. */
export function restingFiles(): readonly string[] {
  if (!process.env.CI || process.env.HEADWAY_TEST_ALL) return [];
  // Vitest reads its configuration in more than one process: all have to agree.
  process.env.HEADWAY_TEST_TURN ??= String(randomInt(turns.length));
  return turns.filter((_, turn) => turn !== Number(process.env.HEADWAY_TEST_TURN)).flat();
}

/** Of many alike, those whose turn it is. */
export const ofThisTurn = <T>(all: readonly T[]): readonly T[] => {
  const turn = process.env.HEADWAY_TEST_TURN;
  return turn === undefined ? all : all.filter((_, index) => index % 2 === Number(turn) % 2);
};
