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
  let base: URL | null = null;
  const links = new Map<string, URL>();
  const parser = new Parser({
    onopentag(name, { href }) {
      if (href === undefined || links.size >= linksMax) return;
      const target = parseLink(href, base ?? page);
      if (target === null) return;
      // Only the first counts, as in browsers.
      if (name === "base") base ??= target;
      if (name !== "a" || !isBelow(target, page) || !linkEnding.test(target.pathname)) return;
      target.hash = "";
      const same = target.href.replace(/\.gz$/i, "");
      if (!links.has(same) || target.href !== same) links.set(same, target);
    },
  });
  parser.write(html);
  parser.end();
  return [...links.values()];
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
