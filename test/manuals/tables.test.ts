import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { doclingFigures, tabulaFigures } from "../../bench/quality/manuals/tables.ts";

const absent = !existsSync(fileURLToPath(new URL("../../../shared/corpora/pdf-tabula", import.meta.url)));

describe("tables of real files", { timeout: 120_000 }, () => {
  it.skipIf(absent)(
    "have at least 97 % of tabula's expected cells, none below 90 % (corpora absent)",
    async () => {
      const figures = await tabulaFigures();
      const cells = figures.reduce((sum, one) => sum + one.cells, 0);
      const found = figures.reduce((sum, one) => sum + one.recall * one.cells, 0);
      expect(figures.length).toBeGreaterThan(9);
      expect(found / cells).toBeGreaterThan(0.985);
      expect(figures.filter(({ recall }) => recall < 0.95)).toEqual([]);
      expect(figures.filter(({ relations }) => relations < 0.9)).toEqual([]);
    },
  );

  it.skipIf(absent)("are not invented where docling's ground truth has none (corpora absent)", async () => {
    const figures = await doclingFigures();
    expect(figures.filter(({ invented }) => invented > 0)).toEqual([]);
    expect(figures.find(({ name }) => name.startsWith("2305"))?.relations).toBe(1);
  });
});
