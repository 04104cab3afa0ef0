import type { DocumentOf } from "@headway/engine";
import type { plans } from "./collections.ts";
import { blockText, type Page } from "./page-text.ts";

/** About the length of an answer readable at a glance. */
const lengths = { part: 900, whole: 1_100 } as const;

export interface Excerpt {
  readonly crumbs: string;
  readonly text: string;
}

/** Cuts a page into passages: never over a heading, and between sentences where a block is long. */
export function cutExcerpts(
  plan: Pick<DocumentOf<typeof plans>, "running" | "headings" | "trail">,
  page: Pick<Page, "words" | "blocks">,
): readonly Excerpt[] {
  const found: { crumbs: string; text: string }[] = [];
  const headings = new Map(plan.headings.map(({ block, trail }) => [block, trail]));
  const running = new Set(plan.running);
  let open = false;
  let { trail } = plan;
  for (const [block] of page.blocks.entries()) {
    if (running.has(block)) continue;
    const heading = headings.get(block);
    if (heading) {
      trail = heading;
      open = false;
    }
    for (const part of cutText(blockText(page, block).text)) {
      const current = found.at(-1);
      if (open && current && current.text.length + part.length <= lengths.whole) current.text += `\n${part}`;
      else found.push({ crumbs: trail.join(" › "), text: part });
      open = true;
    }
  }
  return found.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
}

function cutText(text: string): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > lengths.part) {
    const sentence = rest.lastIndexOf(". ", lengths.part);
    const space = rest.lastIndexOf(" ", lengths.part);
    const cut = sentence > lengths.part / 2 ? sentence + 1 : space > 0 ? space : lengths.part;
    parts.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return rest === "" ? parts : [...parts, rest];
}
