import { readFileSync, statSync } from "node:fs";
import { permanent } from "@headway/engine";
import { openPdf, type Pdf } from "./document.ts";
import { openPdfium, type Pdfium } from "./pdfium.ts";

let kept: { readonly path: string; readonly pdf: Pdf } | null = null;

const bytesMax = 1 << 30;

/** The file lent to an isolated stage. The last file is kept open: pages of one manual come one after another. */
export async function openLent(path: string | undefined): Promise<{ pdfium: Pdfium; pdf: Pdf }> {
  if (path === undefined) throw new Error("The stage was lent no file.");
  const pdfium = await openPdfium();
  if (kept?.path === path) return { pdfium, pdf: kept.pdf };
  kept?.pdf.close();
  kept = null;
  const { size } = statSync(path);
  if (size > bytesMax)
    throw permanent("pdf.too-large", "The file has more than 1 GB (limit pdf.bytes): split it.");
  kept = { path, pdf: openPdf(pdfium, readFileSync(path)) };
  return { pdfium, pdf: kept.pdf };
}
