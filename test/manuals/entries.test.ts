import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { entryFigures } from "../../bench/quality/manuals/entries.ts";

const absent = !existsSync(fileURLToPath(new URL("../../../shared/corpora/pdf-manual-gnu", import.meta.url)));

describe("labelled entries of real manuals", { timeout: 120_000 }, () => {
  it.skipIf(absent)("are found, and none is invented (corpora absent)", async () => {
    const figures = await entryFigures(/^(?:make|FBCN|FBE|gputils|avrdude|cfitsio)/);
    expect(figures.filter(({ invented }) => invented > 0)).toEqual([]);
    expect(figures.filter(({ labels, found }) => found < 0.95 * labels)).toEqual([]);
    expect(figures.reduce((sum, { found }) => sum + found, 0)).toBeGreaterThanOrEqual(15);
  });
});
