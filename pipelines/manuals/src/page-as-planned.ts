import { notFoundYet } from "@headway/engine";
import { digestOf } from "./identity.ts";
import type { Page } from "./page-text.ts";

/** A page as its plan has seen it; another content means that the plan will follow. */
export function pageAsPlanned(page: (Page & { readonly id: string }) | undefined, digest: string): Page {
  if (page && digestOf(inOrder(page)) === digest) return page;
  throw notFoundYet(
    "page.changed",
    `The page ${page?.id ?? ""} has changed; what follows from it will, too.`,
  );
}

/** The database keeps the fields of a body in an order of its own. */
export function inOrder(page: Page): Page {
  const { manual, number, label, width, height, standing, cut, words, blocks } = page;
  const { horizontal, vertical, pictures, links } = page;
  return {
    ...{ manual, number, label, width, height, standing, cut, words },
    blocks: blocks.map(({ from, to, size, bold }) => ({ from, to, size, bold })),
    horizontal,
    vertical,
    pictures: pictures.map(({ box, pixels, sha256 }) => ({ box, pixels, sha256 })),
    links: links.map(({ box, uri, page: target }) => ({ box, uri, page: target })),
  };
}
