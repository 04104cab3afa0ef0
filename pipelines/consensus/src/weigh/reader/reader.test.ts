import { describe, expect, it } from "vitest";
import type { Paragraph } from "./features.ts";
import { hearStances } from "./reader.ts";
import { packWeights, stanceKinds, unpackWeights } from "./weights.ts";

const aParagraph = (text: string, rest: Partial<Paragraph> = {}): Paragraph => ({
  text,
  isFirst: true,
  isReply: true,
  signals: [],
  findings: [],
  ...rest,
});

const probability = (kind: string, text: string): number =>
  hearStances(aParagraph(text)).find((heard) => heard.kind === kind)?.probability ?? 0;

describe("the trained reader of stances", () => {
  it("hears agreement and disagreement in short answers, and neither in a report", () => {
    const report = "The program prints the name of the file and stops.";
    expect(probability("agrees", "Agreed, that makes sense to me.")).toBeGreaterThan(
      probability("agrees", report),
    );
    expect(probability("disagrees", "I don't think that this would work.")).toBeGreaterThan(
      probability("disagrees", report),
    );
  });

  it("names the words with the largest part", () => {
    const [agrees] = hearStances(aParagraph("I agree with this."));
    expect(agrees?.kind).toBe("agrees");
    expect(agrees?.why.join(" ")).toContain("agree");
  });

  it("gives a probability for any text, also empty, long or foreign", () => {
    for (const text of ["", "?", "あ".repeat(10_000), "no ".repeat(100_000)]) {
      for (const { probability } of hearStances(aParagraph(text))) {
        expect(probability).toBeGreaterThanOrEqual(0);
        expect(probability).toBeLessThanOrEqual(1);
      }
    }
  });

  it("uses the signals of the rules", () => {
    const text = "Fine by everybody in this room.";
    const signal = { lean: 1, strength: 0.9, because: "agrees", relation: { to: null } } as const;
    const [plain] = hearStances(aParagraph(text));
    const [signalled] = hearStances(aParagraph(text, { signals: [signal] }));
    expect(signalled?.probability).toBeGreaterThan(plain?.probability ?? 1);
  });
});

describe("the weights of stances", () => {
  const heads = stanceKinds.map((_, at) => at / 4);

  it("come out of their bytes within a step of a byte", () => {
    const weights = [stanceKinds.map((_, at) => at - 2), stanceKinds.map(() => 0.5)];
    const bytes = packWeights({
      keys: [7, 4_000_000_000],
      idf: [1.5, 3],
      weights,
      bias: heads,
      threshold: heads,
      sure: heads,
      answer: heads,
    });
    const { rowOf, idfOf, weightOf, bias } = unpackWeights(bytes);
    expect([rowOf(7), rowOf(4_000_000_000), rowOf(8)]).toEqual([0, 1, -1]);
    expect([idfOf(0), idfOf(1)]).toEqual([1.5, 3]);
    expect(bias[1]).toBeCloseTo(0.25);
    expect(weightOf(0, 0)).toBeCloseTo(-2);
    expect(weightOf(1, 4)).toBeCloseTo(0.5, 1);
  });

  it("cut short are refused, with the command that makes them", () => {
    expect(() => unpackWeights(new Uint8Array(100))).toThrow(/npm run train:stances/);
  });
});
