import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { honest, type StubModel, startStubModel } from "../../pipelines/consensus/test/stub-llm.ts";
import { useSmallLists } from "../operating/small-list.ts";

const lists = useSmallLists();

describe("models side by side", () => {
  let good: StubModel;
  let bad: StubModel;
  beforeAll(async () => {
    good = await startStubModel(honest);
    bad = await startStubModel((_, asked) =>
      asked % 2 === 0
        ? { status: 500, body: "down" }
        : {
            content: {
              sentences: [
                {
                  text: "Everybody agreed on 7 points.",
                  citations: [{ message: 1, quote: "no such words here at all" }],
                },
              ],
            },
          },
    );
  });
  afterAll(async () => {
    await good.stop();
    await bad.stop();
  });

  it("show verified sentences, dropped ones, faults, tokens and cost, and store nothing", async () => {
    const list = await lists.read("pglite");
    const before = (await list.headway("export", "summaries")).out;
    const words = [
      "--model",
      "extractive",
      "--model",
      `good@${good.baseUrl}`,
      "--model",
      `bad@${bad.baseUrl}`,
    ];
    const prices = ["--price", "0/0", "--price", "1/2"];
    const compared = await list.headway("compare", ...words, ...prices, "--threads", "2", "--json");
    expect(compared.code).toBe(1);
    const { comparisons, totals } = JSON.parse(compared.out);
    expect(comparisons).toHaveLength(2);
    const [extractive, honestOne, liar] = totals;
    expect(extractive).toMatchObject({ threads: 2, faults: 0, cost: 0, calls: 0 });
    expect(honestOne).toMatchObject({ model: "good+prompt-1", faults: 0 });
    expect(honestOne.sentences).toBeGreaterThan(0);
    expect(honestOne.tokensIn).toBeGreaterThan(0);
    expect(honestOne.cost).toBeCloseTo((honestOne.tokensIn + 2 * honestOne.tokensOut) / 1_000_000, 9);
    expect(liar).toMatchObject({ sentences: 0, cost: null });
    expect(liar.dropped + liar.faults).toBeGreaterThan(0);
    expect((await list.headway("compare", ...words, "--threads", "1")).out).toContain("MODEL");
    expect((await list.headway("export", "summaries")).out).toBe(before);
    expect((await list.headway("compare", "--model", "extractive")).err).toContain("twice or more");
    expect((await list.headway("compare", "--model", "extractive", "--model", "x")).err).toContain(
      "NAME@URL",
    );
  });
});
