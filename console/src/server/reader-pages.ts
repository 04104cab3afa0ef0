import { DefinitionError } from "@headway/engine";
import type { Library } from "./library.ts";
import { type PageContext, rowsMax } from "./page-context.ts";
import { given, type Query } from "./page-query.ts";

function libraryOf({ library }: PageContext): Library {
  if (!library) throw new DefinitionError("No pipeline of this application brings pages for readers.");
  return library;
}

export async function threads(context: PageContext, query: Query) {
  const order = query.choice("order", ["newest", "largest", "interesting"]) ?? "newest";
  const filter = given({
    list: query.text("list"),
    level: query.text("level"),
    subject: query.text("subject"),
    after: query.text("after"),
  });
  const library = libraryOf(context);
  const rows = await library.threads({ ...filter, order, limit: rowsMax + 1 });
  const known = (await library.lists()).map(({ list }) => list);
  return {
    at: context.operator.now(),
    rows: rows.slice(0, rowsMax),
    more: rows.length > rowsMax,
    lists: known,
  };
}

export async function thread(context: PageContext, query: Query) {
  const found = await libraryOf(context).thread(query.name("id"));
  if (!found) throw new DefinitionError("There is no such thread: it was deleted, or joined to another.");
  return { at: context.operator.now(), thread: found };
}

export async function search(context: PageContext, query: Query) {
  const words = query.text("q");
  if (words === undefined) return { hits: [], wordsOnly: null, answer: null };
  const filter = given({ list: query.text("list"), from: query.text("from") });
  const library = libraryOf(context);
  const answer = /\?\s*$/.test(words) ? await library.ask(words, given({ list: query.text("list") })) : null;
  return { ...(await library.search({ words, ...filter, limit: 30 })), answer };
}

export async function lists(context: PageContext) {
  return { at: context.operator.now(), lists: await libraryOf(context).lists() };
}

/** A list at a glance: outcomes, the newest threads with decisions and open questions. */
export async function digest(context: PageContext, query: Query) {
  const list = query.name("name");
  const found = await libraryOf(context).digest(list, rowsMax);
  if (!found) throw new DefinitionError(`There is no list "${list}".`);
  return { at: context.operator.now(), digest: found };
}
