import { type Database, sql, texts } from "@headway/engine";
import type { WordCounts } from "../ask/evidence.ts";

/** The stems of each text, as the index of passages has them; without words such as "the" and "which". */
export async function readLexemes(db: Database, given: readonly string[]): Promise<ReadonlySet<string>[]> {
  const rows = await db.query<{ lexemes: string[] }>(sql`
    select tsvector_to_array(to_tsvector('english', t.text)) as lexemes
    from unnest(${texts(given.map(storable))}) with ordinality as t (text, place)
    order by t.place`);
  return rows.map(({ lexemes }) => new Set(lexemes));
}

/** No text in a database contains NUL. */
const storable = (text: string): string => text.replaceAll("\0", "\ufffd");

/** How rare stems are in the archive, or in one list. */
export async function countLexemes(
  db: Database,
  lexemes: readonly string[],
  list: string | undefined,
): Promise<WordCounts> {
  const fits = list === undefined ? sql`true` : sql`p.list = ${list}`;
  const rows = await db.query<{ lexeme: string; passages: number }>(sql`
    select t.lexeme, (
      select count(*)::int4
      from headway_read.passages p
      where p.words @@ ('''' || replace(replace(t.lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery and ${fits}
    ) as passages
    from unnest(${texts(lexemes)}) as t (lexeme)`);
  const [all] = await db.query<{ passages: number }>(sql`
    select count(*)::int4 as passages from headway_read.passages p where ${fits}`);
  return {
    passages: all?.passages ?? 0,
    of: new Map(rows.map(({ lexeme, passages }) => [lexeme, passages])),
  };
}
