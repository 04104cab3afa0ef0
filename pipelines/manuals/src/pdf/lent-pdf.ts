import { readFileSync, statSync } from "node:fs";
import { permanent } from "@headway/engine";
import { openPdf, type Pdf } from "./document.ts";
import { forgetPdfium, isWorn, memoryBytesMax, openPdfium, type Pdfium } from "./pdfium.ts";

let kept: { readonly path: string; readonly pdf: Pdf; readonly size: number } | null = null;

const bytesMax = 1 << 30;

/** Works on the file lent to an isolated stage. The last file is kept open: pages of a manual come in a row. */
export async function withLent<Result>(
  path: string | undefined,
  work: (pdfium: Pdfium, pdf: Pdf) => Result,
): Promise<Result> {
  if (path === undefined) throw new Error("The stage was lent no file.");
  try {
    const { pdfium, pdf, size } = await open(path);
    const result = work(pdfium, pdf);
    if (isWorn(pdfium, size)) forget();
    return result;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "RuntimeError") throw error;
    forget();
    throw isOutOfMemory(error)
      ? permanent(
          "pdf.memory",
          `The page needs more than ${memoryBytesMax >> 20} MB (limit pdf.memory): print it to a new PDF.`,
          { cause: error },
        )
      : permanent("pdf.broken", "The page breaks the PDF reader: print it to a new PDF.", { cause: error });
  }
}

const isOutOfMemory = ({ message }: Error): boolean => /abort|memory|unreachable/i.test(message);

function forget(): void {
  kept = null;
  forgetPdfium();
}

async function open(path: string) {
  const pdfium = await openPdfium();
  if (kept?.path === path) return { pdfium, pdf: kept.pdf, size: kept.size };
  kept?.pdf.close();
  kept = null;
  const { size } = statSync(path);
  if (size > bytesMax)
    throw permanent("pdf.too-large", "The file has more than 1 GB (limit pdf.bytes): split it.");
  pdfium.makeRoom(size);
  kept = { path, pdf: openPdf(pdfium, readFileSync(path)), size };
  return { pdfium, pdf: kept.pdf, size };
}
