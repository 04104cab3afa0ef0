import { transient } from "@headway/engine";
import { readOverHttp } from "./http-ocr.ts";
import { readWithTesseract } from "./tesseract.ts";
import { readWithTesseractJs } from "./tesseract-js.ts";

/** A word that was read from a picture, in pixels. */
export interface OcrWord {
  readonly text: string;
  readonly box: readonly [x0: number, y0: number, x1: number, y1: number];
  /** 0 to 100. */
  readonly confidence: number;
  /** Words of one line have the same. */
  readonly line: string;
}

/** Reads pictures of pages. */
export interface Ocr {
  readonly name: string;
  read(png: Buffer): Promise<readonly OcrWord[]>;
}

/** Value of HEADWAY_OCR: `off`, `tesseract`, `tesseract.js`, or an address. */
export const ocrSetting = (variables: Readonly<Record<string, string | undefined>>): string => {
  const value = variables.HEADWAY_OCR?.trim() ?? "";
  return value === "" ? "off" : value;
};

export const ocrLanguages = (variables: Readonly<Record<string, string | undefined>>): string =>
  /^[a-z_+]{2,60}$/i.exec(variables.HEADWAY_OCR_LANGUAGES ?? "")?.[0] ?? "eng";

/** A reader of pictures for a setting; null: switched off. An unknown word is refused with the known ones. */
export function openOcr(setting: string, languages: string): Ocr | null {
  if (setting === "off") return null;
  const read =
    setting === "tesseract"
      ? (png: Buffer) => readWithTesseract(png, languages)
      : setting === "tesseract.js"
        ? (png: Buffer) => readWithTesseractJs(png, languages)
        : /^https?:\/\//.test(setting)
          ? (png: Buffer) => readOverHttp(png, setting)
          : null;
  if (!read)
    throw new Error(
      `HEADWAY_OCR is "${setting}"; it may be off, tesseract, tesseract.js, or an address such as http://127.0.0.1:8884/read.`,
    );
  return {
    name: setting,
    async read(png) {
      try {
        return await read(png);
      } catch (cause) {
        const message = `Reading a picture of a page failed (HEADWAY_OCR=${setting}): ${(cause as Error).message}`;
        throw transient("ocr.unavailable", message, { dependency: "ocr", cause });
      }
    },
  };
}
