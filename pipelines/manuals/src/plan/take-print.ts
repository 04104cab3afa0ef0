import type { DocumentOf } from "@headway/engine";
import type { prints, sheets } from "../collections.ts";
import { readTroubles } from "../harvest/read-troubles.ts";
import { digestOf } from "../identity.ts";
import { tellLanguage } from "../language.ts";
import { blockText, type Page } from "../page-text.ts";
import { edgesOfPage } from "../tables/over-pages.ts";

type Print = Omit<DocumentOf<typeof prints>, "id">;

const shortLengthMax = 120;
const leader = /(?:\. ?){5,200}\s{0,20}\S{0,8}$|\.{4,}/;
const tableCaption = /^(?:table|tab\.|tabelle|tabela|tabla|tableau|tabella)\s+\d+/i;

/** What the other pages of the manual need to know of this one. */
export function takePrint(sheet: Omit<DocumentOf<typeof sheets>, "id">, page: Page): Print {
  const { manual, number, pages, label, title, marks } = sheet;
  const texts = page.blocks.map((_, index) => blockText(page, index).text);
  const sizes = new Map<number, number>();
  for (const [index, { size }] of page.blocks.entries())
    sizes.set(Math.round(size), (sizes.get(Math.round(size)) ?? 0) + (texts[index]?.length ?? 0));
  const shorts = page.blocks.flatMap(({ from, size, bold }, block) => {
    const text = texts[block] ?? "";
    const [first] = page.words.slice(from, from + 1);
    if (text.length >= shortLengthMax || !first) return [];
    return [{ block, text, y: first[2], size, bold }];
  });
  const trouble = isSearched(page) ? readTroubles(page, null, null) : null;
  const leaders = texts.filter((text) => leader.test(text)).length;
  const wide = page.pictures.filter(({ box: [x0, , x1] }) => x1 - x0 > 0.3 * page.width);
  return {
    manual,
    number,
    pages,
    label,
    title,
    digest: digestOf(page),
    standing: page.standing,
    cut: page.cut,
    language: tellLanguage(texts.join(" ")),
    sizes: [...sizes],
    shorts,
    contents: texts.length > 3 && leaders > 0.3 * texts.length,
    marks,
    pictures: page.pictures.length,
    hashes: [...new Set(page.pictures.map(({ sha256 }) => sha256))].filter((hash) => hash !== ""),
    captions:
      wide.length > 0
        ? texts.filter((text) => tableCaption.test(text)).map((text) => text.slice(0, 200))
        : [],
    open: trouble?.open ?? null,
    headed: trouble?.headed ?? false,
    closes: trouble === null || closesTable(page),
    tables: isSearched(page) ? edgesOfPage(page) : { count: 0, top: null, foot: null },
  };
}

const isSearched = ({ standing }: Page): boolean => standing === "good" || standing === "partly-picture";

/** A heading in larger, bold letters ends a table of the page before. */
function closesTable({ blocks }: Page): boolean {
  const sizes = blocks.flatMap(({ from, to, size }) => Array.from({ length: to - from }, () => size)).sort();
  const body = sizes[sizes.length >> 1] ?? 10;
  return blocks.some(({ size, bold }) => bold && size > 1.25 * body);
}
