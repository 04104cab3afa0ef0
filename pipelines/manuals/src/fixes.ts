import { intakeFixes } from "@headway/intake";

/** Advice by fault code, shown beside dead letters and explanations. */
export const manualsFixes = {
  ...intakeFixes,
  "pdf.empty": "Get the file again: it has no pages.",
  "pdf.password": "Save the PDF without its password, and hand it in again.",
  "pdf.encrypted": "Save the PDF without its password, and hand it in again.",
  "pdf.security": "Save the PDF with a common kind of protection or with none, and hand it in again.",
  "pdf.pages": "Split the PDF, or raise the limit that the message names.",
  "pdf.too-large": "Split the PDF, or raise the limit that the message names.",
  "pdf.memory": "Print that page to a new PDF, and hand it in again; the other pages are read.",
  "pdf.broken": "Print that page to a new PDF, and hand it in again; the other pages are read.",
  "pdf.page": "Repair the PDF (qpdf --linearize IN OUT) and hand it in again; the other pages are read.",
  "pdf.*": "Check that the file was copied whole; repair it with qpdf, and hand it in again.",
  "ocr.unavailable":
    "Check HEADWAY_OCR: install tesseract (apt install tesseract-ocr), or start the server; waiting pages go on by themselves.",
  "page.changed": "Requeue: the manual was replaced while the page was read.",
} as const;
