import { DefinitionError } from "@headway/engine";
import { type PageContext, rowsMax } from "./page-context.ts";
import { given, type Query } from "./page-query.ts";
import { shownBody } from "./shown-body.ts";

export async function quarantine({ operator }: PageContext, query: Query) {
  const rows = await operator.listQuarantined(given({ limit: rowsMax + 1, after: query.number("after") }));
  return {
    at: operator.now(),
    groups: await operator.groupQuarantined(),
    rows: rows.slice(0, rowsMax),
    more: rows.length > rowsMax,
  };
}

const hexBytes = 4_096;

export async function delivery({ operator }: PageContext, query: Query) {
  const { body_base64: body, ...row } = await operator.inspectQuarantined(query.number("id") ?? 0);
  const bytes = Buffer.from(body, "base64");
  const shown = bytes.subarray(0, hexBytes);
  return { at: operator.now(), delivery: row, hex: shown.toString("hex"), text: shown.toString("utf8") };
}

export async function conflicts({ operator }: PageContext, query: Query) {
  const rows = await operator.conflicts(given({ limit: rowsMax + 1, after: query.number("after") }));
  return {
    at: operator.now(),
    rows: rows.slice(0, rowsMax).map(({ body: _, ...row }) => row),
    more: rows.length > rowsMax,
  };
}

/** Both contents of a conflict, side by side. */
export async function conflict({ operator }: PageContext, query: Query) {
  const id = query.number("id") ?? 0;
  const [found] = await operator.conflicts({ after: id - 1, limit: 1 });
  if (!found || found.id !== id) throw new DefinitionError(`There is no conflict ${id} any more.`);
  const { body, ...row } = found;
  const filter = { collection: row.collection, ids: [row.document] };
  const [kept] = await operator.documents(filter, { body: true, limit: 1 });
  return { at: operator.now(), conflict: row, refused: shownBody(body), kept: shownBody(kept?.body) };
}

/** Announced events, the newest first. */
export async function events({ operator }: PageContext, query: Query) {
  const filter = given({ type: query.text("type"), before: query.number("after") });
  const rows = (await operator.events({ ...filter, limit: rowsMax + 1 })).toReversed();
  return {
    at: operator.now(),
    rows: rows
      .slice(0, rowsMax)
      .map(({ data, ...row }) => ({ ...row, text: JSON.stringify(data).slice(0, 2_000) })),
    more: rows.length > rowsMax,
  };
}
