import { describe, expect, it } from "vitest";
import { layoutFigures, layoutSums } from "../../bench/quality/manuals/layouts.ts";

describe("codes in generated layouts of six languages", { timeout: 120_000 }, () => {
  it("are found with problem, cause and remedy in their places, and none is invented", async () => {
    const figures = await layoutFigures();
    const fitted = layoutSums(figures, "fitted");
    expect(fitted.codes).toBeGreaterThan(5_000);
    expect(fitted.found).toBe(fitted.codes);
    expect(fitted.right).toBeGreaterThanOrEqual(0.99 * fitted.codes);
    expect(figures.flatMap(({ invented }) => invented)).toEqual([]);
  });
});
