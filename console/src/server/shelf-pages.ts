import { DefinitionError } from "@headway/engine";
import type { PageContext } from "./page-context.ts";
import { given, type Query } from "./page-query.ts";
import type { Shelf } from "./shelf.ts";

function shelfOf(shelf: Shelf | null): Shelf {
  if (!shelf) throw new DefinitionError("No pipeline of this application reads manuals.");
  return shelf;
}

const hitsMax = 8;

/** All manuals, and the answer to a question. */
export async function manuals({ shelf, operator }: PageContext, query: Query) {
  const from = shelfOf(shelf);
  const words = query.text("q");
  const about = given({ manual: query.text("manual") });
  return {
    at: operator.now(),
    manuals: await from.manuals(),
    answer: words === undefined ? null : await from.ask({ words, ...about, limit: hitsMax }),
  };
}

/** A page of a manual; the picture has a separate address. */
export async function manual({ shelf, operator }: PageContext, query: Query) {
  const id = query.name("id");
  const found = (await shelfOf(shelf).manuals()).find((one) => one.id === id);
  if (!found) throw new DefinitionError(`There is no manual "${id}".`);
  const page = Math.min(Math.max(1, query.number("page") ?? 1), Math.max(1, found.pages));
  return { at: operator.now(), manual: found, page };
}

const widthMax = 2_000;

/** PNG of a page, with the quote marked. */
export async function pictureOf(shelf: Shelf | null, query: Query): Promise<Uint8Array> {
  const width = Math.min(query.number("width") ?? 1_000, widthMax);
  const asked = { manual: query.name("manual"), page: query.number("page") ?? 1, width };
  const found = await shelfOf(shelf).picture(given({ ...asked, quote: query.text("quote") }));
  if (!found) throw new DefinitionError(`There is no page ${asked.page} of "${asked.manual}".`);
  return found.png;
}
