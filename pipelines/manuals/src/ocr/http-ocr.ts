import type { OcrWord } from "./ocr.ts";

const limits = { timeMs: 120_000, bytes: 16 << 20, words: 20_000 } as const;

/** Posts the PNG; the answer is JSON: `{"words": [{"text", "box": [x0, y0, x1, y1], "confidence", "line"}]}` in pixels. */
export async function readOverHttp(png: Buffer, address: string): Promise<readonly OcrWord[]> {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "content-type": "image/png", accept: "application/json" },
    body: new Uint8Array(png),
    signal: AbortSignal.timeout(limits.timeMs),
    redirect: "error",
  });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  if (Number(answer.headers.get("content-length") ?? 0) > limits.bytes)
    throw new Error("the answer is too large");
  const text = await answer.text();
  if (text.length > limits.bytes) throw new Error("the answer is too large");
  const { words } = JSON.parse(text) as { words?: unknown };
  if (!Array.isArray(words)) throw new Error("the answer has no list of words");
  return words.slice(0, limits.words).flatMap(wordOf);
}

function wordOf(given: unknown): readonly OcrWord[] {
  const { text, box, confidence, line } = (given ?? {}) as Record<string, unknown>;
  if (typeof text !== "string" || text.trim() === "" || !Array.isArray(box) || box.length !== 4) return [];
  if (!box.every((value) => typeof value === "number" && Number.isFinite(value))) return [];
  const [x0, y0, x1, y1] = box as [number, number, number, number];
  const sure = typeof confidence === "number" ? confidence : 0;
  return [
    { text: text.trim(), box: [x0, y0, x1, y1], confidence: sure, line: String(line ?? Math.round(y0 / 10)) },
  ];
}
