import { permanent } from "@headway/engine";
import { type Characters, readCharacters } from "./characters.ts";
import type { Pdf } from "./document.ts";
import { type PdfLink, readLinks } from "./links.ts";
import { type Drawn, readObjects } from "./objects.ts";
import { invoke, type Pdfium } from "./pdfium.ts";
import { makeUpright } from "./upright.ts";

/** All raw facts about one page. */
export interface PageFacts {
  readonly width: number;
  readonly height: number;
  readonly rotation: number;
  readonly characters: Characters;
  readonly drawn: Drawn;
  readonly links: readonly PdfLink[];
}

/** Reads one page, from 1. */
export function readPageFacts(pdfium: Pdfium, pdf: Pdf, number: number): PageFacts {
  const page = invoke(pdfium.call, "FPDF_LoadPage", pdf.handle, number - 1);
  if (page === 0)
    throw permanent("pdf.page", `Page ${number} is damaged and cannot be opened; the other pages are read.`);
  try {
    const upright = makeUpright(pdfium, page);
    return {
      width: upright.width,
      height: upright.height,
      rotation: upright.rotation,
      characters: readCharacters(pdfium, page, upright),
      drawn: readObjects(pdfium, page, upright),
      links: readLinks(pdfium, pdf.handle, page, upright),
    };
  } finally {
    invoke(pdfium.call, "FPDF_ClosePage", page);
  }
}
