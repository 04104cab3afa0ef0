import { type Database, readersOf } from "@headway/engine";
import { pages } from "../collections.ts";
import { pageId } from "../identity.ts";
import { readManuals } from "../library/known-manuals.ts";
import { boxesOf } from "../page-text.ts";
import type { Box } from "../pdf/upright.ts";
import type { PagePicture, PagePictures } from "./page-pictures.ts";

export interface PageQuestion {
  readonly manual: string;
  /** From 1, as the file counts. */
  readonly page: number;
  /** Of the page, in pixels. */
  readonly width?: number;
  /** Words of the page to be marked; words that do not stand there mark nothing. */
  readonly quote?: string;
  readonly marks?: readonly Box[];
  /** Only this part of the page, in points. */
  readonly region?: Box;
}

/** The picture of a page with a quote marked; null: there is no such manual. */
export async function picturePage(
  db: Database,
  pictures: Pick<PagePictures, "picture">,
  { manual, page, width, quote, marks = [], region }: PageQuestion,
): Promise<(PagePicture & { readonly marks: readonly Box[] }) | null> {
  const known = (await readManuals(db)).find(({ id }) => id === manual);
  if (!known) return null;
  const id = pageId(manual, page);
  const own = quote === undefined ? null : await readersOf(db).read(pages, id);
  const marked = [...marks, ...(own && quote !== undefined ? boxesOf(own, quote) : [])];
  const found = await pictures.picture({
    blob: known.blob,
    page,
    marks: marked,
    ...(width !== undefined && { width }),
    ...(region && { region }),
  });
  return { ...found, marks: marked };
}
