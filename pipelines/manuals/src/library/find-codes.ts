import { type Database, type DocumentOf, sql } from "@headway/engine";
import type { codes } from "../collections.ts";

export type CodeEntry = DocumentOf<typeof codes>;

/** Spaces, dots and hyphens do not tell codes apart for the person who asks. */
export const plainCode = (code: string): string => code.toLowerCase().replaceAll(/[\s._-]+/g, "");

/** Entries, all or those of one code, in the order of manuals and pages. */
export async function findCodes(
  db: Database,
  of: { readonly code: string | null; readonly manual: string | null },
): Promise<readonly CodeEntry[]> {
  const wanted =
    of.code === null
      ? sql`true`
      : sql`lower(regexp_replace(d.body ->> 'code', '[\\s._-]+', '', 'g')) = ${plainCode(of.code)}`;
  const fits = of.manual === null ? sql`true` : sql`d.body ->> 'manual' = ${of.manual}`;
  const rows = await db.query<{ id: string; body: Omit<CodeEntry, "id"> }>(sql`
    select d.id, d.body
    from headway_read.codes d
    where ${wanted} and ${fits}
    order by d.id
    limit 10000`);
  return rows.map(({ id, body }) => ({ ...body, id }));
}
