import { Parser } from "htmlparser2";
import { tellPacking } from "./packing.ts";
import type { Recogniser } from "./recogniser.ts";

/**
 * Links of a page, like the index of a pipermail archive, that lead to archives below it. Each stands once, in the
 * order of the page; where an archive is there both ways, the compressed one.
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
      // Only the first one counts, as in browsers.
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

/** Whether a body is a page, by what its server says of it or by how it begins; some call everything a page. */
export function isPage(type: string, head: Buffer, { recognise }: Pick<Recogniser, "recognise">): boolean {
  if (tellPacking(head).kind !== "none" || recognise(head).kind === "wanted") return false;
  if (type === "text/html" || type === "application/xhtml+xml") return true;
  return /^(?:\xef\xbb\xbf)?\s{0,99}<(?:!doctype html|html|head)[\s>]/i.test(head.toString("latin1", 0, 256));
}

/** No real link is longer, and resolving one takes its time. */
const linkLengthMax = 2_000;

function parseLink(href: string, base: URL): URL | null {
  return href.length <= linkLengthMax && URL.canParse(href, base.href) ? new URL(href, base.href) : null;
}

function isBelow(target: URL, page: URL): boolean {
  const folder = page.pathname.slice(0, page.pathname.lastIndexOf("/") + 1);
  return target.origin === page.origin && target.pathname.startsWith(folder);
}
