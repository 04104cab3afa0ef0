import { tenth } from "../page-text.ts";
import { storable } from "../storable.ts";
import type { OcrWord } from "./ocr.ts";

/** Words below `kept` are noise. */
export const confidences = { kept: 30 } as const;
const partLength = 900;

/** A word in points with its confidence. */
export type RecognisedWord = readonly [
  text: string,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  confidence: number,
];

export interface Recognised {
  readonly lines: readonly (readonly RecognisedWord[])[];
  readonly confidence: number;
}

export function recognisedLines(words: readonly OcrWord[], scale: number): Recognised {
  const lines = new Map<string, RecognisedWord[]>();
  const kept = words.filter(({ confidence }) => confidence >= confidences.kept);
  for (const { text, box, confidence, line } of kept) {
    const [x0, y0, x1, y1] = box.map((value) => tenth(value / scale)) as [number, number, number, number];
    const own = lines.get(line) ?? [];
    lines.set(line, own);
    own.push([storable(text), x0, y0, x1, y1, Math.round(confidence)]);
  }
  const mean = kept.reduce((sum, { confidence }) => sum + confidence, 0) / (kept.length || 1);
  return { lines: [...lines.values()], confidence: Math.round(mean) };
}

export const lineText = (line: readonly RecognisedWord[]): string => line.map(([text]) => text).join(" ");

/** Passages of whole lines. */
export function recognisedParts(lines: Recognised["lines"]): readonly string[] {
  const parts: string[] = [];
  for (const text of lines.map(lineText)) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + text.length < partLength)
      parts[parts.length - 1] = `${last}\n${text}`;
    else parts.push(text);
  }
  return parts.filter((text) => /[\p{L}\p{N}]{2}/u.test(text));
}

/** Boxes of the lines of a quote. */
export function recognisedBoxes(lines: Recognised["lines"], quote: string) {
  return lines
    .filter((line) => line.length > 0 && (quote.includes(lineText(line)) || lineText(line).includes(quote)))
    .map(
      (line) =>
        [
          Math.min(...line.map(([, x0]) => x0)),
          Math.min(...line.map(([, , y0]) => y0)),
          Math.max(...line.map(([, , , x1]) => x1)),
          Math.max(...line.map(([, , , , y1]) => y1)),
        ] as const,
    );
}
