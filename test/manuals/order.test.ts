import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { meanOrder, orderFigures } from "../../bench/quality/manuals/order.ts";

const absent = !existsSync(fileURLToPath(new URL("../../../shared/corpora/pdf-docling", import.meta.url)));

describe("the reading order of real files", { timeout: 120_000 }, () => {
  it.skipIf(absent)("has at least 94 % of the truth, and nowhere less than the bare stream", async () => {
    const figures = await orderFigures();
    expect(figures.length).toBeGreaterThan(6);
    expect(meanOrder(figures)).toBeGreaterThan(0.95);
    expect(figures.filter(({ ours }) => ours.order < 0.88 || ours.bag < 0.95)).toEqual([]);
    expect(figures.filter(({ ours, stream }) => ours.order < stream.order - 0.0005)).toEqual([]);
  });
});
