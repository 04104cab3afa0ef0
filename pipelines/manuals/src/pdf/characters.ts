import { invoke, type Pdfium } from "./pdfium.ts";
import type { Box, Upright } from "./upright.ts";

/** One character of a page, or a break invented by PDFium between two words or lines. */
export type Character =
  | { readonly kind: "break" }
  | {
      readonly kind: "glyph";
      readonly text: string;
      readonly box: Box;
      readonly bold: boolean;
      /** In degrees, as the page is shown. */
      readonly angle: number;
      /** The text object: fake bold has two, a ligature one. */
      readonly object: number;
    };

export interface Characters {
  readonly found: readonly Character[];
  /** Characters without a known meaning, as guessed from their codes: the font does not map its shapes. */
  readonly unmapped: string;
  readonly cut: boolean;
}

const charactersMax = 400_000;

export function readCharacters(pdfium: Pdfium, page: number, upright: Upright): Characters {
  const { call } = pdfium;
  const text = invoke(call, "FPDFText_LoadPage", page);
  if (text === 0) return { found: [], unmapped: "", cut: false };
  try {
    const count = invoke(call, "FPDFText_CountChars", text);
    const found: Character[] = [];
    const font = { object: -1, bold: false, size: 0 };
    let unmapped = "";
    for (let index = 0; index < Math.min(count, charactersMax); index++) {
      const code = codePointAt(pdfium, text, index, count);
      if (code === null) continue;
      if (invoke(call, "FPDFText_HasUnicodeMapError", text, index) === 1)
        unmapped += String.fromCodePoint(code);
      const madeUp = invoke(call, "FPDFText_IsGenerated", text, index) === 1;
      if (code === 13 || code === 10 || (madeUp && code === 32)) found.push({ kind: "break" });
      else found.push(glyphAt(pdfium, text, index, { code, upright, font }));
    }
    return { found, unmapped, cut: count > charactersMax };
  } finally {
    invoke(call, "FPDFText_ClosePage", text);
  }
}

function glyphAt(
  pdfium: Pdfium,
  text: number,
  index: number,
  of: { code: number; upright: Upright; font: { object: number; bold: boolean; size: number } },
): Character {
  const { call, scratch, f32, f64 } = pdfium;
  const { code, upright, font } = of;
  const hyphen = invoke(call, "FPDFText_IsHyphen", text, index) === 1;
  invoke(call, "FPDFText_GetLooseCharBox", text, index, scratch);
  const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map((offset) => f32(scratch + offset));
  const object = invoke(call, "FPDFText_GetTextObject", text, index);
  if (object !== font.object) {
    font.object = object;
    const name = pdfium.latin1((to, length) =>
      invoke(call, "FPDFText_GetFontInfo", text, index, to, length, scratch + 128),
    );
    font.bold = invoke(call, "FPDFText_GetFontWeight", text, index) >= 600 || /bold|black|heavy/i.test(name);
    font.size = sizeOf(pdfium, text, index);
  }
  const degrees = Math.round((invoke(call, "FPDFText_GetCharAngle", text, index) * 180) / Math.PI);
  return {
    kind: "glyph",
    text: hyphen ? "\u00ad" : code === 0 ? "\ufffd" : String.fromCodePoint(code),
    box: held(upright.box(left, bottom, right, top), isLevel(degrees, upright.rotation), () => {
      invoke(call, "FPDFText_GetCharOrigin", text, index, scratch + 32, scratch + 40);
      return { base: upright.point(f64(scratch + 32), f64(scratch + 40))[1], size: font.size };
    }),
    bold: font.bold,
    angle: degrees,
    object,
  };
}

/** Height of the letters in points: the font's size with the scale of the text. */
function sizeOf({ call, scratch, f32, f64 }: Pdfium, text: number, index: number): number {
  const size = invoke(call, "FPDFText_GetFontSize", text, index);
  if (!invoke(call, "FPDFText_GetMatrix", text, index, scratch + 64)) return size;
  // Some builds answer in doubles; a scale of 0 is no answer.
  const scale = Math.hypot(f32(scratch + 72), f32(scratch + 76)) || Math.abs(f64(scratch + 88)) || 1;
  return size * scale;
}

/** Some fonts claim several times the height of their letters: such a box is held to the size around its baseline. */
function held(box: Box, level: boolean, of: () => { base: number; size: number }): Box {
  const [x0, y0, x1, y1] = box;
  if (!level || y1 - y0 < 8) return box;
  const { base, size } = of();
  if (size < 2 || y1 - y0 < 1.9 * size) return box;
  return [x0, base - 0.95 * size, x1, base + 0.25 * size];
}

/** Angles are relative to the content; the page's rotation may add or subtract. */
export const isLevel = (angle: number, rotation: number): boolean =>
  [angle - rotation, angle + rotation].some((turned) => {
    const degrees = ((turned % 360) + 360) % 360;
    return degrees < 5 || degrees > 355;
  });

/** Null for the second half of a pair. */
function codePointAt({ call }: Pdfium, text: number, index: number, count: number): number | null {
  const unit = invoke(call, "FPDFText_GetUnicode", text, index);
  if (unit >= 0xdc00 && unit < 0xe000) return null;
  if (unit < 0xd800 || unit >= 0xdc00 || index + 1 >= count) return unit > 0x10ffff ? 0 : unit;
  const low = invoke(call, "FPDFText_GetUnicode", text, index + 1);
  return low >= 0xdc00 && low < 0xe000 ? ((unit - 0xd800) << 10) + (low - 0xdc00) + 0x10000 : 0;
}
