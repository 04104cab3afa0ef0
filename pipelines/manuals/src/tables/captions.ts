import { blockText, type Page } from "../page-text.ts";
import type { Box } from "../pdf/upright.ts";

const words = {
  table: /^(?:table|tab\.|tabelle|tabela|tabla|tableau|tabella|quadro)\s*[\dIVX]/i,
  picture:
    /^(?:figure|fig\.|figura|abb\.|abbildung|bild|illustration|ilustra[çc][ãa]o|image|picture|photo|drawing)\s*[\dIVX]/i,
} as const;

/** So many points may lie between a caption and its table or picture. */
const reachPoints = 40;

/** The caption that stands nearest above or below; empty: none. */
export function captionOf(
  page: Pick<Page, "words" | "blocks">,
  kind: keyof typeof words,
  [x0, y0, x1, y1]: Box,
): string {
  let best = { distance: reachPoints, text: "" };
  for (const [index, { from, to }] of page.blocks.entries()) {
    const own = page.words.slice(from, to);
    if (own.length === 0) continue;
    const { text } = blockText(page, index);
    if (!words[kind].test(text)) continue;
    const [top, bottom] = [Math.min(...own.map((word) => word[2])), Math.max(...own.map((word) => word[4]))];
    const [left, right] = [Math.min(...own.map((word) => word[1])), Math.max(...own.map((word) => word[3]))];
    if (Math.min(right, x1) - Math.max(left, x0) < 0) continue;
    const distance = Math.max(0, y0 - bottom, top - y1);
    if (distance < best.distance) best = { distance, text: text.slice(0, 300) };
  }
  return best.text;
}
