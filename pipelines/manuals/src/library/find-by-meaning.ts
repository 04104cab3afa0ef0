import { type Database, type Statement, sql, texts } from "@headway/engine";
import { asked, type Candidate } from "./find-excerpts.ts";

export interface Meant {
  /** The cosine of each excerpt asked for, and of the nearest. */
  readonly cosines: ReadonlyMap<string, number>;
  /** The nearest excerpts that were not asked for. */
  readonly further: readonly Candidate[];
}

interface Row extends Candidate {
  readonly cosine: number;
  readonly known: boolean;
}

/** Null: the server has no pgvector, or nothing has a vector yet. */
export async function findByMeaning(
  db: Database,
  of: {
    readonly vector: string;
    readonly model: string;
    readonly words: readonly string[];
    readonly manual: string | null;
    /** Excerpts found by words. */
    readonly known: readonly string[];
    readonly limit: number;
  },
): Promise<Meant | null> {
  if (!(await hasVectors(db))) return null;
  const fits: Statement = of.manual === null ? sql`true` : sql`v.manual = ${of.manual}`;
  const rows = await db.query<Row>(sql`
    ${asked(of.words)},
    near as materialized (
      select v.id, 1 - (v.vector <=> ${of.vector}::vector) as cosine
      from headway_read.manual_vectors v
      where v.model = ${of.model} and ${fits}
    ), best as (
      select n.id, n.cosine from near n where n.id = any (${texts(of.known)})
      union
      (select n.id, n.cosine from near n order by n.cosine desc, n.id limit ${of.limit})
    )
    select b.id as excerpt, b.cosine::float8 as cosine, b.id = any (${texts(of.known)}) as known,
      d.body ->> 'manual' as manual, d.body ->> 'title' as title, (d.body ->> 'page')::int4 as page,
      d.body ->> 'label' as label, d.body ->> 'crumbs' as crumbs, d.body ->> 'text' as text,
      coalesce((d.body ->> 'recognised')::boolean, false) as recognised, 0::float8 as score,
      coalesce((select array_agg(a.place::int4 order by a.place) from asked a where e.words @@ a.query), '{}') as has
    from best b
    join headway_read.excerpts d on d.id = b.id
    join headway_read.manual_excerpts e on e.id = b.id
    order by b.cosine desc, b.id`);
  if (rows.length === 0) return null;
  return {
    cosines: new Map(rows.map(({ excerpt, cosine }) => [excerpt, cosine])),
    further: rows.filter(({ known }) => !known),
  };
}

async function hasVectors(db: Database): Promise<boolean> {
  const [found] = await db.query<{ table: boolean }>(
    sql`select to_regclass('headway_read.manual_vectors') is not null as table`,
  );
  return found?.table === true;
}
