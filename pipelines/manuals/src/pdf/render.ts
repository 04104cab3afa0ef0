import { permanent } from "@headway/engine";
import type { Pdf } from "./document.ts";
import { invoke, type Pdfium } from "./pdfium.ts";
import type { Pixels } from "./png.ts";
import { type Box, makeUpright } from "./upright.ts";

export interface RenderOptions {
  /** Of the whole page, in pixels. */
  readonly width: number;
  /** Boxes to be marked, in points from the top left of the page as shown. */
  readonly marks?: readonly Box[];
  /** Only this part of the page. */
  readonly region?: Box;
}

export interface Rendered extends Pixels {
  /** Pixels per point. */
  readonly scale: number;
}

/** Widest picture, and most pixels of a picture: a page may be metres long. */
export const renderLimits = { widthMax: 4_000, pixelsMax: 24_000_000, marksMax: 500 } as const;

/** Paints one page, from 1. */
export function renderPage(pdfium: Pdfium, pdf: Pdf, number: number, options: RenderOptions): Rendered {
  const { call } = pdfium;
  const page = invoke(call, "FPDF_LoadPage", pdf.handle, number - 1);
  if (page === 0) throw permanent("pdf.page", `Page ${number} is damaged and cannot be shown.`);
  let bitmap = 0;
  try {
    const size = makeUpright(pdfium, page);
    const { width, height, scale } = scaleTo(size, options.width);
    bitmap = invoke(call, "FPDFBitmap_Create", width, height, 0);
    if (bitmap === 0) throw permanent("pdf.page", `Page ${number} is too large to be shown.`);
    invoke(call, "FPDFBitmap_FillRect", bitmap, 0, 0, width, height, 0xffffffff);
    invoke(call, "FPDF_RenderPageBitmap", bitmap, page, 0, 0, width, height, 0, annotations);
    const stride = invoke(call, "FPDFBitmap_GetStride", bitmap);
    const all = pdfium.take(invoke(call, "FPDFBitmap_GetBuffer", bitmap), stride * height);
    for (const mark of (options.marks ?? []).slice(0, renderLimits.marksMax))
      paint(all, stride, area(mark, scale, { width, height }));
    const part = options.region
      ? area(options.region, scale, { width, height })
      : { x0: 0, y0: 0, x1: width, y1: height };
    return { ...cut(all, stride, part), scale };
  } finally {
    if (bitmap !== 0) invoke(call, "FPDFBitmap_Destroy", bitmap);
    invoke(call, "FPDF_ClosePage", page);
  }
}

const annotations = 1;

function scaleTo(size: { readonly width: number; readonly height: number }, wanted: number) {
  const [w, h] = [Math.max(1, size.width), Math.max(1, size.height)];
  const asked = Math.min(renderLimits.widthMax, Math.max(16, wanted)) / w;
  const scale = Math.min(asked, Math.sqrt(renderLimits.pixelsMax / (w * h)));
  return { width: Math.max(1, Math.round(w * scale)), height: Math.max(1, Math.round(h * scale)), scale };
}

interface Area {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

function area([x0, y0, x1, y1]: Box, scale: number, page: { width: number; height: number }): Area {
  const inside = (value: number, end: number) => Math.max(0, Math.min(end, value));
  const left = inside(Math.floor(x0 * scale - 1), page.width - 1);
  const top = inside(Math.floor(y0 * scale - 1), page.height - 1);
  return {
    x0: left,
    y0: top,
    x1: Math.max(left + 1, inside(Math.ceil(x1 * scale + 1), page.width)),
    y1: Math.max(top + 1, inside(Math.ceil(y1 * scale + 1), page.height)),
  };
}

/** Like a highlighter: white becomes yellow, black stays black. */
function paint(bytes: Uint8Array, stride: number, { x0, y0, x1, y1 }: Area): void {
  for (let y = y0; y < y1; y++)
    for (let x = x0; x < x1; x++) {
      const at = y * stride + 4 * x;
      bytes[at] = Math.round((bytes[at] ?? 0) * 0.4);
      bytes[at + 1] = Math.round((bytes[at + 1] ?? 0) * 0.92);
    }
}

function cut(bytes: Uint8Array, stride: number, { x0, y0, x1, y1 }: Area): Pixels {
  const [width, height] = [x1 - x0, y1 - y0];
  const found = new Uint8Array(4 * width * height);
  for (let y = 0; y < height; y++)
    found.set(bytes.subarray((y0 + y) * stride + 4 * x0, (y0 + y) * stride + 4 * x1), 4 * width * y);
  return { width, height, bytes: found };
}
