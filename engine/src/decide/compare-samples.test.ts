import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Comparison, compareSamples, studentT } from "./compare-samples.ts";

const sample = fc.double({ min: 0.001, max: 1e6, noNaN: true });
const samples = fc.array(sample, { minLength: 2, maxLength: 12 });

const compared = (before: readonly number[], after: readonly number[], better: "more" | "less" = "more") =>
  compareSamples(before, after, better) as Comparison;

describe("comparing two runs", () => {
  it("the change lies inside its interval", () => {
    fc.assert(
      fc.property(samples, samples, (before, after) => {
        const { changePercent, lowPercent, highPercent } = compared(before, after);
        expect(lowPercent).toBeLessThanOrEqual(changePercent);
        expect(highPercent).toBeGreaterThanOrEqual(changePercent);
      }),
    );
  });

  it("the same samples again are no change, in whatever order", () => {
    fc.assert(
      fc.property(samples, fc.gen(), (before, gen) => {
        const after = gen(fc.shuffledSubarray, before, { minLength: before.length });
        const { changePercent, verdict } = compared(before, after);
        expect(changePercent).toBeCloseTo(0, 6);
        expect(verdict).toBe("same");
      }),
    );
  });

  it("the unit does not matter", () => {
    fc.assert(
      fc.property(
        samples,
        samples,
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        (before, after, unit) => {
          const scaled = compared(
            before.map((value) => value * unit),
            after.map((value) => value * unit),
          );
          const plain = compared(before, after);
          expect(Math.log1p(scaled.changePercent / 100)).toBeCloseTo(
            Math.log1p(plain.changePercent / 100),
            6,
          );
          expect(scaled.verdict).toBe(plain.verdict);
        },
      ),
    );
  });

  it("looked at the other way round, better is worse and the ratio is turned over", () => {
    const turned = { better: "worse", worse: "better", same: "same" } as const;
    fc.assert(
      fc.property(samples, samples, (before, after) => {
        const there = compared(before, after);
        const back = compared(after, before);
        expect(Math.log1p(back.changePercent / 100)).toBeCloseTo(-Math.log1p(there.changePercent / 100), 6);
        expect(back.verdict).toBe(turned[there.verdict]);
        expect(compared(before, after, "less").verdict).toBe(turned[there.verdict]);
      }),
    );
  });

  it("a steady run that became half as fast is worse, and half as slow better", () => {
    const steady = [100, 102, 99, 101, 100];
    const halved = steady.map((value) => value / 2);
    expect(compared(steady, halved)).toMatchObject({ verdict: "worse" });
    expect(compared(steady, halved).changePercent).toBeCloseTo(-50, 5);
    expect(compared(steady, halved, "less")).toMatchObject({ verdict: "better" });
  });

  it("noise of a fifth does not make a change of three per cent", () => {
    expect(compared([100, 120, 90, 110, 95], [103, 118, 92, 116, 97])).toMatchObject({ verdict: "same" });
  });

  it("of two runs of the same thing, about one in twenty looks different, not more", () => {
    // A linear congruential generator: the same chances in every run of this test.
    let seed = 20_261_115;
    const chance = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    };
    const noise = () => Array.from({ length: 12 }, chance).reduce((sum, each) => sum + each, 0) - 6;
    const aRun = () => Array.from({ length: 5 }, () => Math.exp(0.2 * noise()));
    const rounds = 2_000;
    let different = 0;
    for (let round = 0; round < rounds; round++) {
      if (compared(aRun(), aRun()).verdict !== "same") different += 1;
    }
    expect(different / rounds).toBeGreaterThan(0.02);
    expect(different / rounds).toBeLessThan(0.07);
  });

  it("one sample, a zero or an endless one says nothing", () => {
    expect(compareSamples([1], [1, 2], "more")).toBeNull();
    expect(compareSamples([1, 2], [0, 2], "more")).toBeNull();
    expect(compareSamples([1, 2], [1, Number.POSITIVE_INFINITY], "more")).toBeNull();
  });

  it("t falls as there are more samples, down to that of the normal curve", () => {
    expect(studentT(1)).toBeCloseTo(12.706);
    expect(studentT(4)).toBeCloseTo(2.776);
    expect(studentT(12)).toBeCloseTo(2.179, 2);
    expect(studentT(1e9)).toBeCloseTo(1.96);
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 500, noNaN: true }),
        fc.double({ min: 1, max: 2, noNaN: true }),
        (freedom, more) => {
          expect(studentT(freedom * more)).toBeLessThanOrEqual(studentT(freedom) + 1e-9);
        },
      ),
    );
  });
});
