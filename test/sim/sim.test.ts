import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { variants } from "../crash/variants.ts";
import { type Ground, openGround } from "./ground.ts";
import { simulate } from "./run.ts";
import { simulateAll, tellStory } from "./runs.ts";
import { makeSometimes } from "./sometimes.ts";
import { spread } from "./spread.ts";

/** `npm run proofs` has thousands, and looks whether each hard situation was met. */
const runs = 300;

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

describe("in a storm of faults", () => {
  it("every promise holds, whatever the seed", { timeout: 600_000 }, async () => {
    const seed = 1;
    const all = await spread({ seed, runs }, 2, () => undefined);
    console.log(`${all.runs} simulated runs in two processes, from seed ${seed} on`);
    const [first] = all.broken;
    if (first) expect.fail((await tellStory(first, { ground })).join("\n"));
  });

  it("a story is the same each time its seed is played, whatever was played before", {
    timeout: 60_000,
  }, async () => {
    const another = await openGround();
    try {
      for (const seed of [11, 12, 13, 14, 15]) {
        const [here, there] = await Promise.all([
          simulate({ seed, ground, sometimes: makeSometimes() }),
          simulate({ seed, ground: another, sometimes: makeSometimes() }),
        ]);
        expect(there).toEqual(here);
      }
    } finally {
      await another.close();
    }
  });
});

describe("an engine is found out when", () => {
  const broken = variants.filter(({ name }) =>
    /refused result is written|before they are told|projection is written after/.test(name),
  );

  for (const { name, store } of broken) {
    it(name, { timeout: 120_000 }, async () => {
      const found = await simulateAll({ ground, runs: 200, seed: 100, store, untilBroken: true });
      expect(found.broken).toHaveLength(1);
    });
  }

  it("these are three of them", () => {
    expect(broken).toHaveLength(3);
  });
});
