import { type Database, notFoundYet, sql, texts } from "@headway/engine";
import type { Harvested } from "../audit.ts";
import { digestOf } from "../identity.ts";
import type { Page } from "../page-text.ts";
import { findCodes } from "./find-codes.ts";

export interface Shelf {
  /** A page as it was when it had this digest. */
  page(id: string, digest: string): Promise<Page>;
  /** Codes of a manual and their pages. */
  codes(manual: string): Promise<readonly Harvested[]>;
}

export function makeShelf(database: Promise<Database>): Shelf {
  return {
    async page(id, digest) {
      const page = (await readBodies<Page>(await database, "pages", [id])).get(id);
      if (page && digestOf(inOrder(page)) === digest) return page;
      throw notFoundYet("page.changed", `The page ${id} has changed; what follows from it will, too.`);
    },
    codes: async (manual) => await findCodes(await database, { code: null, manual }),
  };
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

/** Bodies of documents by their ids. */
export async function readBodies<Body extends object>(
  db: Database,
  collection: string,
  ids: readonly string[],
): Promise<Map<string, Body>> {
  const rows = await db.query<{ id: string; body: Body }>(sql`
    select d.id, d.body
    from headway.document d
    join headway.collection c on c.id = d.collection and c.name = ${collection}
    where d.id = any (${texts(ids)}) and d.gone_at is null`);
  return new Map(rows.map(({ id, body }) => [id, body]));
}
