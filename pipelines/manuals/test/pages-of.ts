import { type Entry, harvestPage } from "../src/harvest/harvest-page.ts";
import type { Page } from "../src/page-text.ts";
import { openPdf } from "../src/pdf/document.ts";
import { readPageFacts } from "../src/pdf/page-facts.ts";
import { openPdfium } from "../src/pdf/pdfium.ts";
import { planManual } from "../src/plan/plan-manual.ts";
import { takePrint } from "../src/plan/take-print.ts";
import { makePage } from "../src/stages/reading.ts";

interface Range {
  readonly from: number;
  readonly to: number;
}

const wholeFile: Range = { from: 1, to: Number.POSITIVE_INFINITY };

interface ReadPages {
  readonly pages: readonly Page[];
  readonly marks: readonly { readonly title: string; readonly depth: number; readonly page: number }[];
}

async function readPages(bytes: Uint8Array, { from, to }: Range): Promise<ReadPages> {
  const pdfium = await openPdfium();
  const pdf = openPdf(pdfium, bytes);
  try {
    const count = Math.max(0, Math.min(to, pdf.pages) - from + 1);
    const pages = Array.from({ length: count }, (_, index) => {
      const number = from + index;
      const sheet = { manual: "m", number, label: pdf.label(number) };
      return makePage(sheet, readPageFacts(pdfium, pdf, number));
    });
    return { pages, marks: pdf.bookmarks() };
  } finally {
    pdf.close();
  }
}

/** Pages of a PDF, read without an engine. */
export async function pagesOf(bytes: Uint8Array, range: Range = wholeFile): Promise<readonly Page[]> {
  return (await readPages(bytes, range)).pages;
}

/** All entries of a PDF, with columns carried over pages as the pipeline does. */
export async function entriesOf(bytes: Uint8Array, range: Range = wholeFile): Promise<readonly Entry[]> {
  const { pages, marks } = await readPages(bytes, range);
  const prints = pages.map((page) =>
    takePrint(
      {
        ...{ manual: "m", blob: "", number: page.number, pages: pages.length, label: "", title: "" },
        marks: marks.filter((mark) => mark.page === page.number),
      },
      page,
    ),
  );
  return planManual(prints).flatMap((plan) => {
    const at = plan.number - (pages[0]?.number ?? 1);
    const page = pages[at];
    if (!page || plan.contents) return [];
    const next = plan.next === null ? null : (pages[at + 1] ?? null);
    const following = pages.slice(at + 1, at + 1 + plan.tableNext.length);
    return harvestPage({ id: "", ...plan }, page, { next, following }).entries;
  });
}
