import { invoke, type Pdfium } from "./pdfium.ts";

/** Left, top, right, bottom in points, from the top left corner of the displayed page. */
export type Box = readonly [x0: number, y0: number, x1: number, y1: number];

export interface Upright {
  readonly width: number;
  readonly height: number;
  /** In degrees, clockwise. */
  readonly rotation: number;
  point(x: number, y: number): readonly [x: number, y: number];
  box(left: number, bottom: number, right: number, top: number): Box;
}

/** Maps the space of a page's content, with crop box and rotation, to the displayed page. */
export function makeUpright(pdfium: Pdfium, page: number): Upright {
  const { call } = pdfium;
  const width = invoke(call, "FPDF_GetPageWidthF", page);
  const height = invoke(call, "FPDF_GetPageHeightF", page);
  const turns = invoke(call, "FPDFPage_GetRotation", page);
  const [left, bottom, right, top] = cropOf(pdfium, page) ?? [
    0,
    0,
    turns % 2 ? height : width,
    turns % 2 ? width : height,
  ];
  const point: Upright["point"] = (x, y) => {
    if (turns === 1) return [y - bottom, x - left];
    if (turns === 2) return [right - x, y - bottom];
    if (turns === 3) return [top - y, right - x];
    return [x - left, top - y];
  };
  return {
    width,
    height,
    rotation: turns * 90,
    point,
    box(l, b, r, t) {
      const [ax, ay] = point(l, b);
      const [bx, by] = point(r, t);
      return [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
    },
  };
}

function cropOf({ call, scratch, f32 }: Pdfium, page: number): Box | null {
  const given = [page, scratch, scratch + 4, scratch + 8, scratch + 12];
  const found = ["FPDFPage_GetCropBox", "FPDFPage_GetMediaBox"].some((name) => invoke(call, name, ...given));
  if (!found) return null;
  const [a = 0, b = 0, c = 0, d = 0] = [0, 4, 8, 12].map((offset) => f32(scratch + offset));
  return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
}
