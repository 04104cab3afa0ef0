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

/** `heads`: what a word in the breadcrumb counts more. */
const weights = { heads: 0.7, often: 0.35 } as const;

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
  const counts = await db.query<{ place: number; count: number; total: number }>(sql`
    ${asked(words)}
    select a.place::int4 as place, a.count::int4 as count,
      (select count(*) from headway_read.manual_excerpts e where ${fits})::int4 as total
    from (
      select a.place, (select count(*) from headway_read.manual_excerpts e where e.words @@ a.query and ${fits}) as count
      from asked a
    ) a
    order by a.place`);
  const total = counts[0]?.total ?? 0;
  const candidates = await db.query<Candidate>(sql`
    ${asked(words)},
    counted as materialized (
      select a.place, a.query, u.count, ${total}::float8 as total
      from asked a
      join unnest(${texts(counts.map(({ count }) => String(count)))}::float8[]) with ordinality as u (count, place) on u.place = a.place
    ), scored as (
      select e.id as excerpt,
        sum(ln(1 + (c.total - c.count + 0.5) / (c.count + 0.5))
          * (1 + case when e.heads @@ c.query then ${weights.heads}::float8 else 0 end
            + ${weights.often}::float8 * least(1, ts_rank(e.words, c.query) * 8))) as score,
        array_agg(c.place::int4 order by c.place) as has
      from counted c
      join headway_read.manual_excerpts e on e.words @@ c.query and ${fits}
      group by e.id
      order by score desc, e.id
      limit ${of.limit}
    )
    select s.excerpt, d.body ->> 'manual' as manual, d.body ->> 'title' as title, (d.body ->> 'page')::int4 as page,
      d.body ->> 'label' as label, d.body ->> 'crumbs' as crumbs, d.body ->> 'text' as text,
      coalesce((d.body ->> 'recognised')::boolean, false) as recognised,
      s.score::float8 as score, s.has
    from scored s
    join headway_read.excerpts d on d.id = s.excerpt
    order by s.score desc, s.excerpt`);
  return {
    candidates,
    total,
    counts: counts.map(({ count }) => count),
  };
}

/** Each word as a question to the index: as written, and stemmed in any language a page may have. */
const asked = (words: readonly string[]): Statement => sql`
    with asked as materialized (
      select w.place,
        plainto_tsquery('simple', w.word) || plainto_tsquery('english', w.word) || plainto_tsquery('german', w.word)
          || plainto_tsquery('french', w.word) || plainto_tsquery('spanish', w.word)
          || plainto_tsquery('portuguese', w.word) || plainto_tsquery('italian', w.word) as query
      from unnest(${texts(words)}) with ordinality as w (word, place)
    )`;
