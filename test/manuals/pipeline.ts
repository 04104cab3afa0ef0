import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseOption } from "@headway/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { feedManuals } from "../../pipelines/manuals/src/feed.ts";
import { type PdfBook, writePdf } from "../../pipelines/manuals/src/generated/pdf-writer.ts";
import { listManuals, readOf, tellReading } from "../../pipelines/manuals/src/library/manual-lines.ts";
import { type Manuals, startManuals } from "../../pipelines/manuals/src/manuals.ts";
import { sampleManualPath } from "../../pipelines/manuals/src/sample.ts";

const head = (number: number) => ({ x: 60, y: 40, size: 8, text: `Tide gauge TG-4 · page ${number}` });
const prose = (number: number, heading: string, lines: readonly string[]) => ({
  texts: [
    head(number),
    { x: 60, y: 90, size: 16, bold: true, text: heading },
    ...lines.map((text, index) => ({ x: 60, y: 120 + index * 14, text })),
  ],
});

const book = (remedy: string): PdfBook => ({
  title: "Service manual TG-4",
  bookmarks: [{ title: "Cleaning the float", page: 2 }],
  pages: [
    prose(1, "Installing the gauge", ["The bracket is fixed with four bolts.", "Use a torque of 12 Nm."]),
    prose(2, "Cleaning the float", ["Barnacles make the float heavy.", remedy]),
    prose(3, "Changing the battery", ["The lithium battery lasts for two winters."]),
    { texts: [{ x: 60, y: 60, text: "12" }], picture: [20, 80, 580, 800] },
  ],
});

/** The whole way of a manual, on one kind of database. */
export function describeManuals(databaseOf: () => DatabaseOption | null): void {
  let folder: string;
  let manuals: Manuals;
  const done: string[] = [];
  beforeAll(async () => {
    const database = databaseOf();
    folder = await mkdtemp(join(tmpdir(), "headway-manuals-"));
    manuals = await startManuals({
      data: join(folder, "data"),
      ...(database && { database }),
      onSignal: (signal) => {
        if (signal.kind === "task.done") done.push(signal.stage);
      },
    });
  });
  afterAll(async () => {
    await manuals.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function read(name: string, bytes: Uint8Array | string) {
    const path = join(folder, name);
    await writeFile(path, bytes);
    done.length = 0;
    const fed = await feedManuals(manuals, [path]);
    await manuals.engine.settled();
    return fed;
  }

  describe("a manual", { timeout: 120_000 }, () => {
    it("is found by its words, with a quote that stands on its page, and where", async () => {
      expect(await read("TG-4.pdf", writePdf(book("Scrape them off with a wooden spatula.")))).toMatchObject({
        accepted: ["TG-4"],
        refused: [],
      });
      const { found, hits } = await manuals.search({ words: "what removes barnacles from the float?" });
      expect(found).toBe(true);
      expect(hits[0]).toMatchObject({ manual: "TG-4", page: 2, crumbs: "Cleaning the float" });
      expect(hits[0]?.quote).toContain("Barnacles make the float heavy.");
      const [[x0, y0, , y1] = []] = hits[0]?.boxes ?? [];
      expect(x0).toBeCloseTo(60, 0);
      expect([y0, y1].every((y) => y !== undefined && y > 100 && y < 140)).toBe(true);
    });

    it("says what of it could not be read", async () => {
      const [line] = await listManuals(manuals.engine.database);
      expect(line).toMatchObject({ id: "TG-4", pages: 4, read: 4, thin: 1 });
      expect(line && tellReading(line)).toBe("read with gaps: 1 scanned");
    });

    it("read again is nothing to do; a changed page does that page only", async () => {
      const same = await read("TG-4.pdf", writePdf(book("Scrape them off with a wooden spatula.")));
      expect(same).toMatchObject({ accepted: [], unchanged: 1 });
      expect(done).toEqual([]);
      await read("TG-4.pdf", writePdf(book("Scrape them off with a plastic knife.")));
      expect(done.filter((stage) => stage === "excerpting")).toHaveLength(1);
      const { hits } = await manuals.search({ words: "plastic knife spatula" });
      expect(hits[0]?.text).toContain("plastic knife");
      expect(hits.some(({ text }) => text.includes("wooden"))).toBe(false);
    });

    it("is refused an answer that is not in it, with the words that are missing", async () => {
      const { found, unknown } = await manuals.search({ words: "hydraulic gearbox lubrication" });
      expect([found, unknown]).toEqual([false, ["hydraulic", "gearbox", "lubrication"]]);
    });
  });

  describe("the sample manual", { timeout: 120_000 }, () => {
    it("gives its codes, and says which of its pages cannot be read", async () => {
      await feedManuals(manuals, [sampleManualPath()]);
      await manuals.engine.settled();
      const { codes } = await manuals.search({ words: "what does E-117 mean?" });
      expect(codes).toMatchObject([
        { manual: "tide-gauge", page: 6, code: "E-117", problem: "Float does not move", quote: "E-117" },
      ]);
      expect(codes[0]?.remedy).toContain("wooden spatula");
      const lines = await listManuals(manuals.engine.database);
      expect(lines.find(({ id }) => id === "tide-gauge")).toMatchObject({ pages: 11, codes: 24, thin: 1 });
      const found = await readOf<{ code: string; pages: number[] }>(
        manuals.engine.database,
        "findings",
        "tide-gauge",
      );
      expect(found.map(({ code, pages }) => [code, pages])).toEqual([
        ["table.in-picture", [11]],
        ["text.thin", [10]],
      ]);
      const tables = await readOf<{ pages: number[]; columns: number; rows: number }>(
        manuals.engine.database,
        "tables",
        "tide-gauge",
      );
      expect(tables.map(({ pages, columns }) => [pages, columns])).toContainEqual([[5, 6, 7], 4]);
    });
  });

  describe("what is no manual", { timeout: 120_000 }, () => {
    it("is a dead letter with a reason, and everything else goes on", async () => {
      expect(await read("broken.pdf", "%PDF-1.7\nnothing of a PDF")).toMatchObject({ accepted: ["broken"] });
      const lines = await listManuals(manuals.engine.database);
      expect(lines.map((line) => [line.id, tellReading(line)])).toContainEqual(["broken", "not read"]);
    });

    it("is refused at the door when it is something else", async () => {
      const { refused } = await read("page.pdf", "<html>");
      expect(refused).toMatchObject([{ code: "archive.not-PDF" }]);
    });
  });
}
