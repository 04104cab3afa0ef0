import type { OcrWord } from "./ocr.ts";
import { parseTsv } from "./tesseract.ts";

interface Worker {
  recognize(image: Buffer, options: object, output: object): Promise<{ data: { tsv?: string | null } }>;
  terminate(): Promise<unknown>;
}

/** The package `tesseract.js`, if the user installed it: it is no dependency of ours. */
export async function readWithTesseractJs(png: Buffer, languages: string): Promise<readonly OcrWord[]> {
  const name = "tesseract.js";
  const found = (await import(name).catch(() => {
    throw new Error("the package tesseract.js is not installed: npm install tesseract.js");
  })) as { createWorker(languages: string): Promise<Worker> };
  const worker = await found.createWorker(languages);
  try {
    const { data } = await worker.recognize(png, {}, { tsv: true });
    return parseTsv(data.tsv ?? "");
  } finally {
    await worker.terminate();
  }
}
