import { permanent } from "@headway/engine";
import { invoke, type Pdfium } from "./pdfium.ts";

export interface Bookmark {
  readonly title: string;
  readonly depth: number;
  /** From 1; 0: no target. */
  readonly page: number;
}

/** An open PDF; to be closed. */
export interface Pdf {
  readonly handle: number;
  readonly pages: number;
  meta(key: "Title" | "Author" | "Subject" | "Producer"): string;
  label(page: number): string;
  size(page: number): { readonly width: number; readonly height: number };
  bookmarks(): readonly Bookmark[];
  close(): void;
}

const bookmarkLimits = { count: 20_000, depth: 12 } as const;

/** What PDFium's last error says, as permanent faults: no retry makes a file whole. */
const openingFaults: Readonly<Record<number, readonly [code: string, message: string]>> = {
  2: ["pdf.file", "The file cannot be read as a PDF: check that it was copied whole."],
  3: ["pdf.format", "The file is no PDF, or too damaged to be read: get it again, or print it to a new PDF."],
  4: ["pdf.password", "The file needs a password: remove the password with a PDF tool and ingest it again."],
  5: ["pdf.security", "The file is protected in a way that is not supported: remove the protection first."],
};

export function openPdf(pdfium: Pdfium, bytes: Uint8Array): Pdf {
  const { call } = pdfium;
  const buffer = pdfium.give(bytes);
  const handle = invoke(call, "FPDF_LoadMemDocument", buffer, bytes.length, 0);
  if (handle === 0) {
    const [code, message] = openingFaults[invoke(call, "FPDF_GetLastError")] ?? openingFaults[3] ?? [];
    pdfium.free(buffer);
    throw permanent(code ?? "pdf.format", message ?? "The file is no PDF.");
  }
  return {
    handle,
    pages: invoke(call, "FPDF_GetPageCount", handle),
    meta(key) {
      const name = pdfium.give(Buffer.from(`${key}\0`));
      const text = pdfium.utf16((to, length) => invoke(call, "FPDF_GetMetaText", handle, name, to, length));
      pdfium.free(name);
      return text;
    },
    label: (page) =>
      pdfium.utf16((to, length) => invoke(call, "FPDF_GetPageLabel", handle, page - 1, to, length)),
    size(page) {
      const { scratch } = pdfium;
      invoke(call, "FPDF_GetPageSizeByIndexF", handle, page - 1, scratch);
      return { width: pdfium.f32(scratch), height: pdfium.f32(scratch + 4) };
    },
    bookmarks: () => readBookmarks(pdfium, handle),
    close() {
      invoke(call, "FPDF_CloseDocument", handle);
      pdfium.free(buffer);
    },
  };
}

/** Bookmarks may lead back to themselves, so each is visited once. */
function readBookmarks(pdfium: Pdfium, document: number): readonly Bookmark[] {
  const { call } = pdfium;
  const found: Bookmark[] = [];
  const seen = new Set<number>();
  const walk = (parent: number, depth: number): void => {
    let mark = invoke(call, "FPDFBookmark_GetFirstChild", document, parent);
    while (mark !== 0 && !seen.has(mark) && found.length < bookmarkLimits.count) {
      const own = mark;
      seen.add(own);
      const title = pdfium.utf16((to, length) => invoke(call, "FPDFBookmark_GetTitle", own, to, length));
      found.push({ title: title.trim(), depth, page: targetOf(pdfium, document, own) });
      if (depth < bookmarkLimits.depth) walk(own, depth + 1);
      mark = invoke(call, "FPDFBookmark_GetNextSibling", document, own);
    }
  };
  walk(0, 0);
  return found;
}

function targetOf({ call }: Pdfium, document: number, mark: number): number {
  const own = invoke(call, "FPDFBookmark_GetDest", document, mark);
  const pageOf = (target: number) =>
    target === 0 ? 0 : invoke(call, "FPDFDest_GetDestPageIndex", document, target) + 1;
  if (own !== 0) return Math.max(0, pageOf(own));
  const action = invoke(call, "FPDFBookmark_GetAction", mark);
  return action === 0 ? 0 : Math.max(0, pageOf(invoke(call, "FPDFAction_GetDest", document, action)));
}
