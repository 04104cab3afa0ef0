import { type Database, type Statement, sql, texts } from "@headway/engine";

export interface Candidate {
  readonly excerpt: string;
  readonly manual: string;
  readonly title: string;
  readonly page: number;
  readonly label: string;
  readonly crumbs: string;
  readonly text: string;
  readonly score: number;
  readonly recognised: boolean;
  /** Numbers of the question's words found in the excerpt. */
  readonly has: readonly number[];
}

export interface Found {
  readonly candidates: readonly Candidate[];
  /** How many excerpts there are, and how many have each asked word. */
  readonly total: number;
  readonly counts: readonly number[];
}

/** `heads`: what a word in the breadcrumb counts more; `often`: at most, if repeated. */
const weights = { heads: 0.7, often: 0.35 } as const;
/** Passages per answer for which repetitions are counted: that reads whole passages. */
const readPerAnswer = 4;

interface Row extends Candidate {
  readonly total: number;
  readonly counts: readonly number[];
}

/**
 * Excerpts with some of the words. A word counts by rarity, more in the breadcrumb, and a little more if repeated:
 * excerpts have about the same length, so a ranking needs no more.
 */
export async function findExcerpts(
  db: Database,
  of: { readonly words: readonly string[]; readonly manual: string | null; readonly limit: number },
): Promise<Found> {
  const words = of.words.map((word) => word.replaceAll("\0", " ").slice(0, 100));
  const fits: Statement = of.manual === null ? sql`true` : sql`e.manual = ${of.manual}`;
  const rows = await db.query<Row>(sql`
    ${asked(words)},
    hits as materialized (
      select e.id, a.place, e.heads @@ a.query as headed
      from asked a
      join headway_read.manual_excerpts e on e.words @@ a.query and ${fits}
    ), whole as materialized (
      select count(*) as total from headway_read.manual_excerpts e where ${fits}
    ), counted as materialized (
      select a.place, a.query, h.count, w.total,
        ln(1 + (w.total - h.count + 0.5)::float8 / (h.count + 0.5)::float8) as weight
      from asked a
      cross join whole w
      cross join lateral (select count(*) from hits where hits.place = a.place) h
    ), best as materialized (
      select h.id, sum(c.weight * case when h.headed then ${1 + weights.heads}::float8 else 1 end) as score,
        array_agg(h.place::int4 order by h.place) as has
      from hits h
      join counted c on c.place = h.place
      group by h.id
      order by score desc, h.id
      limit ${of.limit * readPerAnswer}
    ), scored as (
      select b.id, b.has, b.score + (
          select sum(c.weight * ${weights.often}::float8 * least(1, ts_rank(e.words, c.query) * 8))
          from counted c
          where c.place = any (b.has)
        ) as score
      from best b
      join headway_read.manual_excerpts e on e.id = b.id
      order by score desc, b.id
      limit ${of.limit}
    )
    select s.id as excerpt, d.body ->> 'manual' as manual, d.body ->> 'title' as title, (d.body ->> 'page')::int4 as page,
      d.body ->> 'label' as label, d.body ->> 'crumbs' as crumbs, d.body ->> 'text' as text,
      coalesce((d.body ->> 'recognised')::boolean, false) as recognised, s.score::float8 as score, s.has,
      (select w.total from whole w)::int4 as total,
      (select array_agg(c.count::int4 order by c.place) from counted c) as counts
    from scored s
    join headway_read.excerpts d on d.id = s.id
    order by s.score desc, s.id`);
  const { total = 0, counts = words.map(() => 0) } = rows[0] ?? {};
  return { candidates: rows, total, counts };
}

/** Each word as a question to the index: as written, and stemmed in any language a page may have. */
export const asked = (words: readonly string[]): Statement => sql`
    with asked as materialized (
      select w.place,
        plainto_tsquery('simple', w.word) || plainto_tsquery('english', w.word) || plainto_tsquery('german', w.word)
          || plainto_tsquery('french', w.word) || plainto_tsquery('spanish', w.word)
          || plainto_tsquery('portuguese', w.word) || plainto_tsquery('italian', w.word) as query
      from unnest(${texts(words)}) with ordinality as w (word, place)
    )`;
