import { Parser } from "htmlparser2";
import { tellPacking } from "./packing.ts";
import type { Recogniser } from "./recogniser.ts";

/**
 * Links of a page, such as the index of a pipermail archive, to archives below the page. Each once, in the order of
 * the page; of a plain and a compressed variant, the compressed.
 */
export function findArchiveLinks(
  html: string,
  page: URL,
  { linksMax, linkEnding }: { readonly linksMax: number } & Pick<Recogniser, "linkEnding">,
): URL[] {
  const links = new Map<string, URL>();
  for (const target of readLinks(html, page)) {
    if (links.size >= linksMax) break;
    if (!isBelow(target, page) || !linkEnding.test(target.pathname)) continue;
    target.hash = "";
    const same = target.href.replace(/\.gz$/i, "");
    if (!links.has(same) || target.href !== same) links.set(same, target);
  }
  return [...links.values()];
}

/** The first links of a page, wherever they lead. */
export const findLinks = (html: string, page: URL, linksMax: number): URL[] =>
  readLinks(html, page).slice(0, linksMax);

/** Links of `a` elements in the order of the page. */
function readLinks(html: string, page: URL): URL[] {
  let base: URL | null = null;
  const links: URL[] = [];
  const parser = new Parser({
    onopentag(name, { href }) {
      if (href === undefined) return;
      const target = parseLink(href, base ?? page);
      if (target === null) return;
      // Only the first counts, as in browsers.
      if (name === "base") base ??= target;
      if (name === "a") links.push(target);
    },
  });
  parser.write(html);
  parser.end();
  return links;
}

/** Whether a body is a page, by its media type or its first bytes; some servers call everything a page. */
export function isPage(type: string, head: Buffer, { recognise }: Pick<Recogniser, "recognise">): boolean {
  if (tellPacking(head).kind !== "none" || recognise(head).kind === "wanted") return false;
  if (type === "text/html" || type === "application/xhtml+xml") return true;
  return /^(?:\xef\xbb\xbf)?\s{0,99}<(?:!doctype html|html|head)[\s>]/i.test(head.toString("latin1", 0, 256));
}

/** No real link is longer, and resolving a link takes time. */
const linkLengthMax = 2_000;

function parseLink(href: string, base: URL): URL | null {
  return href.length <= linkLengthMax && URL.canParse(href, base.href) ? new URL(href, base.href) : null;
}

function isBelow(target: URL, page: URL): boolean {
  const folder = page.pathname.slice(0, page.pathname.lastIndexOf("/") + 1);
  return target.origin === page.origin && target.pathname.startsWith(folder);
}
