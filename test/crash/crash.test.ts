import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../engine/src/store/database.ts";
import { scenarios } from "./scenarios.ts";
import { hardSituations, makeSometimes } from "./sometimes.ts";
import { openSweepDatabase, type Swept, sweepScenario, sweepVariant } from "./sweep.ts";
import { variants } from "./variants.ts";

/** A sample of the exhaustive `npm run crash`. */
describe("whatever call the engine is interrupted at", () => {
  const sometimes = makeSometimes();
  const swept: Swept[] = [];
  let real: Database;

  beforeAll(async () => {
    real = await openSweepDatabase(scenarios);
  });
  afterAll(() => real.close());

  for (const scenario of scenarios) {
    it(`${scenario.name}: every promise holds`, { timeout: 120_000 }, async () => {
      const one = await sweepScenario(scenario, { real, sometimes, seed: 1, pointsMax: 24, pairs: 2 });
      swept.push(one);
      expect(one.findings.slice(0, 5)).toEqual([]);
      expect(one.unreached).toBe(0);
    });
  }

  it("that makes more than five hundred runs", () => {
    expect(swept.reduce((sum, one) => sum + one.runs, 0)).toBeGreaterThan(500);
  });

  for (const what of hardSituations) {
    it(`it happens that ${what}`, () => {
      expect(sometimes.counts.get(what)).toBeGreaterThan(0);
    });
  }
});

describe("an engine is found out when", () => {
  let real: Database;

  beforeAll(async () => {
    real = await openSweepDatabase(scenarios);
  });
  afterAll(() => real.close());

  for (const variant of variants) {
    it(variant.name, { timeout: 120_000 }, async () => {
      const among = scenarios.filter((one) => variant.scenarios.includes(one.name));
      const { finding } = await sweepVariant(variant, among, { real, sometimes: makeSometimes(), seed: 1 });
      expect(finding).not.toBeNull();
    });
  }
});
