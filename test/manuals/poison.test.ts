import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readTroubles } from "../../pipelines/manuals/src/harvest/read-troubles.ts";
import { openPdf } from "../../pipelines/manuals/src/pdf/document.ts";
import { readPageFacts } from "../../pipelines/manuals/src/pdf/page-facts.ts";
import { openPdfium } from "../../pipelines/manuals/src/pdf/pdfium.ts";
import { sampleManualPath } from "../../pipelines/manuals/src/sample.ts";
import { makePage } from "../../pipelines/manuals/src/stages/reading.ts";

const corpora = fileURLToPath(new URL("../../../shared/corpora", import.meta.url));
const pagesMax = 3;
const seed = 20;
const mutations = 200;

/** Reads a file as the stages do; what it cannot be read for is the code of a fault, never anything else. */
async function endOf(bytes: Uint8Array): Promise<string> {
  const pdfium = await openPdfium();
  try {
    const pdf = openPdf(pdfium, bytes);
    try {
      pdf.bookmarks();
      for (let number = 1; number <= Math.min(pdf.pages, pagesMax); number++)
        readTroubles(
          makePage({ manual: "m", number, label: "" }, readPageFacts(pdfium, pdf, number)),
          null,
          null,
        );
      return "read";
    } finally {
      pdf.close();
    }
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== "string" || !code.startsWith("pdf.")) throw error;
    return code;
  }
}

/** Numbers that look like chance and are the same each time. */
function makeChance(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function mutate(bytes: Buffer, chance: (below: number) => number): Buffer {
  const changed = Buffer.from(bytes);
  const kind = chance(3);
  if (kind === 0) return changed.subarray(0, chance(changed.length));
  const count = kind === 1 ? 1 + chance(20) : 1;
  for (let index = 0; index < count; index++) {
    const at = chance(changed.length);
    if (kind === 1) changed[at] = chance(256);
    else changed.copyWithin(at, chance(changed.length), Math.min(changed.length, at + chance(2_000)));
  }
  return changed;
}

describe("a damaged PDF", { timeout: 120_000 }, () => {
  it(`ends with a reason: ${mutations} mutations of the sample from seed ${seed}`, async () => {
    const sample = readFileSync(sampleManualPath());
    const chance = makeChance(seed);
    const ends = new Map<string, number>();
    for (let index = 0; index < mutations; index++) {
      const end = await endOf(mutate(sample, chance));
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    expect([...ends.values()].reduce((sum, count) => sum + count, 0)).toBe(mutations);
    expect([...ends.keys()].every((end) => end === "read" || end.startsWith("pdf."))).toBe(true);
    expect(ends.get("read") ?? 0).toBeGreaterThan(0);
  });

  it.skipIf(!existsSync(corpora))(
    "of the corpora ends with a reason, each of them (corpora absent)",
    async () => {
      const folders = readdirSync(corpora).filter((name) => /^(pdf-|poison-pdf-)/.test(name));
      const files = folders.flatMap((name) =>
        readdirSync(join(corpora, name), { recursive: true, encoding: "utf8" })
          .filter((path) => path.endsWith(".pdf"))
          .map((path) => join(corpora, name, path)),
      );
      expect(files.length).toBeGreaterThan(80);
      const ends = [];
      for (const file of files) ends.push(await endOf(readFileSync(file)));
      expect(ends.filter((end) => end === "read").length).toBeGreaterThan(0.8 * files.length);
    },
  );
});
