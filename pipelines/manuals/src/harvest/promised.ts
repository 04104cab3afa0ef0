import type { DocumentOf } from "@headway/engine";
import type { plans } from "../collections.ts";
import type { Page } from "../page-text.ts";
import { promises } from "./promises.ts";

/** The heading with a promise of codes at a height of the page; null: none. */
export type Promised = (y: number) => string | null;

export const nothingPromised: Promised = () => null;

/** Headings of the page and at the top: a heading below a promising heading keeps the promise. */
export function promisedOn(
  { headings, trail }: Pick<DocumentOf<typeof plans>, "headings" | "trail">,
  page: Page,
): Promised {
  const promiseOf = (crumbs: readonly string[]): string | null =>
    crumbs.findLast((text) => promises.test(text)) ?? null;
  const places = headings
    .map(({ block, trail: crumbs }) => ({
      y: page.words[page.blocks[block]?.from ?? 0]?.[2] ?? 0,
      promise: promiseOf(crumbs),
    }))
    .sort((one, other) => one.y - other.y);
  const top = promiseOf(trail);
  return (y) =>
    places.findLast((place) => place.y <= y + 1)?.promise ?? (places[0] && places[0].y <= y + 1 ? null : top);
}
