import { spawn } from "node:child_process";
import type { OcrWord } from "./ocr.ts";

const limits = { timeMs: 120_000, bytes: 16 << 20 } as const;

/** The program `tesseract` on the PATH; its variables are those of the system alone. */
export async function readWithTesseract(png: Buffer, languages: string): Promise<readonly OcrWord[]> {
  return parseTsv(await run(["stdin", "stdout", "-l", languages, "--dpi", "200", "tsv"], png));
}

function run(words: readonly string[], input: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const { PATH, TMPDIR, LANG, TESSDATA_PREFIX } = process.env;
    const child = spawn("tesseract", words, {
      env: { PATH, TMPDIR, LANG, TESSDATA_PREFIX, OMP_THREAD_LIMIT: "1" },
      timeout: limits.timeMs,
      killSignal: "SIGKILL",
    });
    const parts: Buffer[] = [];
    let [size, said] = [0, ""];
    child.stdout.on("data", (part: Buffer) => {
      size += part.length;
      if (size > limits.bytes) child.kill("SIGKILL");
      else parts.push(part);
    });
    child.stderr.on("data", (part: Buffer) => {
      if (said.length < 500) said += part.toString();
    });
    child.stdin.on("error", () => undefined);
    child.on("error", (error) => reject(new Error(`tesseract cannot be started: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) resolve(Buffer.concat(parts).toString("utf8"));
      else reject(new Error(`tesseract ended with ${signal ?? code}: ${said.trim().slice(0, 300)}`));
    });
    child.stdin.end(input);
  });
}

/** Lines of level 5 are words: block, paragraph and line numbers, box, confidence, text. */
export function parseTsv(tsv: string): readonly OcrWord[] {
  return tsv.split("\n").flatMap((row): readonly OcrWord[] => {
    const [level, page, block, paragraph, line, , left, top, width, height, confidence, ...text] =
      row.split("\t");
    const [x0, y0, w, h, sure] = [left, top, width, height, confidence].map(Number);
    const word = text.join("\t").trim();
    if (level !== "5" || word === "" || [x0, y0, w, h, sure].some((value) => !Number.isFinite(value)))
      return [];
    const box = [x0 ?? 0, y0 ?? 0, (x0 ?? 0) + (w ?? 0), (y0 ?? 0) + (h ?? 0)] as const;
    return [{ text: word, box, confidence: sure ?? 0, line: [page, block, paragraph, line].join(".") }];
  });
}
