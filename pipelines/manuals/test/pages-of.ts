import { type Entry, harvestPage } from "../src/harvest/harvest-page.ts";
import type { Page } from "../src/page-text.ts";
import { openPdf } from "../src/pdf/document.ts";
import { readPageFacts } from "../src/pdf/page-facts.ts";
import { openPdfium } from "../src/pdf/pdfium.ts";
import { planManual } from "../src/plan/plan-manual.ts";
import { takePrint } from "../src/plan/take-print.ts";
import { makePage } from "../src/stages/reading.ts";

/** Every page of a PDF, read without an engine. */
export async function pagesOf(bytes: Uint8Array): Promise<readonly Page[]> {
  const pdfium = await openPdfium();
  const pdf = openPdf(pdfium, bytes);
  try {
    return Array.from({ length: pdf.pages }, (_, index) => {
      const sheet = { manual: "m", number: index + 1, label: pdf.label(index + 1) };
      return makePage(sheet, readPageFacts(pdfium, pdf, index + 1));
    });
  } finally {
    pdf.close();
  }
}

/** All entries of a PDF, with columns carried over pages as the pipeline does. */
export async function entriesOf(bytes: Uint8Array): Promise<readonly Entry[]> {
  const pages = await pagesOf(bytes);
  const prints = pages.map((page) =>
    takePrint(
      { manual: "m", blob: "", number: page.number, pages: pages.length, label: "", title: "", marks: [] },
      page,
    ),
  );
  return planManual(prints).flatMap((plan) => {
    const page = pages[plan.number - 1];
    if (!page || plan.contents) return [];
    const next = plan.next === null ? null : (pages[plan.number] ?? null);
    const following = pages.slice(plan.number, plan.number + plan.tableNext.length);
    return harvestPage({ id: "", ...plan }, page, { next, following }).entries;
  });
}
