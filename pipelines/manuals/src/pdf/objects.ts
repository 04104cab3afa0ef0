import { createHash } from "node:crypto";
import { invoke, type Pdfium } from "./pdfium.ts";
import type { Box, Upright } from "./upright.ts";

/** A drawn line: horizontal at height `at` from `from` to `to`, or vertical at `at`. */
export interface Rule {
  readonly way: "h" | "v";
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface Picture {
  readonly box: Box;
  readonly pixels: readonly [width: number, height: number];
  /** Of the data as stored; empty: too large, or unreadable. */
  readonly sha256: string;
}

export interface Drawn {
  readonly rules: readonly Rule[];
  readonly pictures: readonly Picture[];
  readonly cut: boolean;
}

type Matrix = readonly [number, number, number, number, number, number];

/** `segments` of one path, `objects` of a page, `depth` of forms within forms. */
const limits = { objects: 60_000, segments: 3_000, depth: 8, rules: 12_000, pictures: 2_000 } as const;
/** Thinner than this a filled rectangle is a line. */
const thinPoints = 3.5;

/** Lines and pictures of a page, including those inside forms. */
export function readObjects(pdfium: Pdfium, page: number, upright: Upright): Drawn {
  const { call, scratch } = pdfium;
  const rules: Rule[] = [];
  const pictures: Picture[] = [];
  let left: number = limits.objects;
  const visit = (get: (index: number) => number, count: number, matrix: Matrix, depth: number): void => {
    for (let index = 0; index < count && left > 0; index++) {
      left--;
      const object = get(index);
      const type = invoke(call, "FPDFPageObj_GetType", object);
      if (type === 2 && rules.length < limits.rules)
        rules.push(...pathRules(pdfium, object, matrix, upright));
      if (type === 3 && pictures.length < limits.pictures)
        pictures.push(pictureOf(pdfium, object, matrix, upright));
      if (type === 5 && depth < limits.depth) {
        invoke(call, "FPDFPageObj_GetMatrix", object, scratch + 256);
        const inner = multiply(matrixAt(pdfium, scratch + 256), matrix);
        const below = (at: number) => invoke(call, "FPDFFormObj_GetObject", object, at);
        visit(below, invoke(call, "FPDFFormObj_CountObjects", object), inner, depth + 1);
      }
    }
  };
  const top = (at: number) => invoke(call, "FPDFPage_GetObject", page, at);
  visit(top, invoke(call, "FPDFPage_CountObjects", page), [1, 0, 0, 1, 0, 0], 0);
  return { rules, pictures, cut: left <= 0 };
}

function pictureOf(pdfium: Pdfium, object: number, matrix: Matrix, upright: Upright): Picture {
  const { call, scratch, f32, i32 } = pdfium;
  invoke(call, "FPDFPageObj_GetBounds", object, scratch, scratch + 4, scratch + 8, scratch + 12);
  const [left, bottom] = apply(matrix, f32(scratch), f32(scratch + 4));
  const [right, top] = apply(matrix, f32(scratch + 8), f32(scratch + 12));
  invoke(call, "FPDFImageObj_GetImagePixelSize", object, scratch + 16, scratch + 20);
  const box = upright.box(left, bottom, right, top);
  return { box, pixels: [i32(scratch + 16), i32(scratch + 20)], sha256: hashOf(pdfium, object) };
}

const pictureBytesMax = 32 << 20;

/** Data as stored, before any decoder: nothing is unpacked for a hash. */
function hashOf({ call, take, free }: Pdfium, object: number): string {
  const length = invoke(call, "FPDFImageObj_GetImageDataRaw", object, 0, 0);
  if (length <= 0 || length > pictureBytesMax) return "";
  const buffer = invoke(call, "malloc", length);
  if (buffer === 0) return "";
  invoke(call, "FPDFImageObj_GetImageDataRaw", object, buffer, length);
  const bytes = take(buffer, length);
  free(buffer);
  return createHash("sha256").update(bytes).digest("hex");
}

type Point = readonly [x: number, y: number, curve: boolean];

function pathRules(pdfium: Pdfium, object: number, outer: Matrix, upright: Upright): Rule[] {
  const { call, scratch, i32, f32 } = pdfium;
  invoke(call, "FPDFPath_GetDrawMode", object, scratch, scratch + 4);
  const [fill, stroke] = [i32(scratch) !== 0, i32(scratch + 4) !== 0];
  const count = invoke(call, "FPDFPath_CountSegments", object);
  if ((!fill && !stroke) || count < 2 || count > limits.segments) return [];
  invoke(call, "FPDFPageObj_GetMatrix", object, scratch + 256);
  const matrix = multiply(matrixAt(pdfium, scratch + 256), outer);
  const white = fill && isWhite(pdfium, object);
  const found: Rule[] = [];
  let points: Point[] = [];
  const flush = () => {
    found.push(...rulesOf(points, { fill: fill && !white, stroke }));
    points = [];
  };
  for (let index = 0; index < count; index++) {
    const segment = invoke(call, "FPDFPath_GetPathSegment", object, index);
    const type = invoke(call, "FPDFPathSegment_GetType", segment);
    invoke(call, "FPDFPathSegment_GetPoint", segment, scratch, scratch + 4);
    const [x, y] = upright.point(...apply(matrix, f32(scratch), f32(scratch + 4)));
    if (type === 2) flush();
    points.push([x, y, type === 1]);
    const [first] = points;
    if (first && invoke(call, "FPDFPathSegment_GetClose", segment)) points.push([first[0], first[1], false]);
  }
  flush();
  return found;
}

function isWhite({ call, scratch, i32 }: Pdfium, object: number): boolean {
  const told = invoke(
    call,
    "FPDFPageObj_GetFillColor",
    object,
    scratch,
    scratch + 4,
    scratch + 8,
    scratch + 12,
  );
  return told !== 0 && [0, 4, 8].every((offset) => i32(scratch + offset) > 250);
}

function rulesOf(points: readonly Point[], drawn: { fill: boolean; stroke: boolean }): Rule[] {
  if (points.length < 2) return [];
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [width, height] = [x1 - x0, y1 - y0];
  const straight = points.every(([, , curve]) => !curve);
  if (drawn.fill && straight && Math.min(width, height) < thinPoints && Math.max(width, height) > 3)
    return height < width
      ? [{ way: "h", at: (y0 + y1) / 2, from: x0, to: x1 }]
      : [{ way: "v", at: (x0 + x1) / 2, from: y0, to: y1 }];
  if (!drawn.stroke) return [];
  return points.slice(1).flatMap(([bx, by, curve], index): Rule[] => {
    const [ax, ay] = points[index] as Point;
    if (curve) return [];
    if (Math.abs(ay - by) < 1 && Math.abs(ax - bx) > 3)
      return [{ way: "h", at: (ay + by) / 2, from: Math.min(ax, bx), to: Math.max(ax, bx) }];
    if (Math.abs(ax - bx) < 1 && Math.abs(ay - by) > 3)
      return [{ way: "v", at: (ax + bx) / 2, from: Math.min(ay, by), to: Math.max(ay, by) }];
    return [];
  });
}

const matrixAt = ({ f32 }: Pdfium, address: number): Matrix => [
  f32(address),
  f32(address + 4),
  f32(address + 8),
  f32(address + 12),
  f32(address + 16),
  f32(address + 20),
];

const apply = (m: Matrix, x: number, y: number): readonly [number, number] => [
  m[0] * x + m[2] * y + m[4],
  m[1] * x + m[3] * y + m[5],
];

const multiply = (a: Matrix, b: Matrix): Matrix => [
  a[0] * b[0] + a[1] * b[2],
  a[0] * b[1] + a[1] * b[3],
  a[2] * b[0] + a[3] * b[2],
  a[2] * b[1] + a[3] * b[3],
  a[4] * b[0] + a[5] * b[2] + b[4],
  a[4] * b[1] + a[5] * b[3] + b[5],
];
