import { type Database, type Statement, sql } from "@headway/engine";

export interface Query {
  /** As typed; beyond a thousand characters only the meaning counts. */
  readonly words: string;
  /** The meaning of the words, as `[1,-5,…]`, with its model; null: only the words count. */
  readonly meaning: { readonly vector: string; readonly model: string } | null;
  readonly list?: string;
  /** Part of a name or address. */
  readonly from?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit?: number;
}

export interface Hit {
  readonly chunk: string;
  readonly message: string;
  readonly list: string;
  readonly subject: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly date: string | null;
  readonly start: number;
  readonly end: number;
  /** The passage, with matches between « and ». */
  readonly snippet: string;
  /** Larger is better; comparable only within one answer. */
  readonly score: number;
  /** Ranks in the two rankings, from 1; null: not among the first hundred. */
  readonly byWords: number | null;
  readonly byMeaning: number | null;
}

/** Depth of each ranking, and the damping of lower ranks. */
const ranking = { depth: 100, damping: 60 } as const;

/** PostgreSQL 15 takes cubic time in the number of words to mark them: 14 s for 2,500 words in one passage. */
const wordsLengthMax = 1_000;

/** Limit of cosine distance; with the built-in model words without sense are 0.8 and more from any text. */
const distanceMax = 0.65;

/**
 * Passages by words and by meaning: two rankings, fused by rank, so no common scale is needed. Passages with all words
 * come first, then passages with some; a phrase and a word to leave out are kept as asked.
 */
export async function search(db: Database, query: Query): Promise<Hit[]> {
  const { meaning, limit = 10 } = query;
  const fits = filter(query);
  const words = storable(query.words.slice(0, wordsLengthMax));
  const all = sql`websearch_to_tsquery('english', ${words})`;
  const asked = hasOperators.test(words)
    ? all
    : sql`replace(plainto_tsquery('english', ${words})::text, ' & ', ' | ')::tsquery`;
  const byMeaning = meaning
    ? sql`
      select p.id as chunk, row_number() over (order by v.vector <=> ${meaning.vector}::vector, p.id) as place
      from headway_read.passage_vectors v
      join headway_read.passages p on p.id = v.id
      where v.model = ${meaning.model} and v.vector <=> ${meaning.vector}::vector < ${distanceMax} and ${fits}
      order by place
      limit ${ranking.depth}`
    : sql`select null::text as chunk, null::int8 as place where false`;
  return await db.query<Hit>(sql`
    with by_words as (
      select p.id as chunk, row_number() over (
        order by p.words @@ ${all} desc, ts_rank(p.words, ${asked}, 1) desc, p.id
      ) as place
      from headway_read.passages p
      where p.words @@ ${asked} and ${fits}
      order by place
      limit ${ranking.depth}
    ), by_meaning as (${byMeaning}
    ), joined as (
      select coalesce(w.chunk, m.chunk) as chunk, w.place as by_words, m.place as by_meaning,
        coalesce(1.0 / (${ranking.damping} + w.place), 0) + coalesce(1.0 / (${ranking.damping} + m.place), 0) as score
      from by_words w
      full join by_meaning m on m.chunk = w.chunk
      order by score desc, chunk
      limit ${limit}
    )
    select j.chunk, d.body ->> 'message' as message, d.body ->> 'list' as list, d.body ->> 'subject' as subject,
      d.body -> 'from' as from, d.body ->> 'date' as date,
      (d.body ->> 'start')::int4 as start, (d.body ->> 'end')::int4 as end,
      ts_headline('english', d.body ->> 'text', ${asked},
        'StartSel=«, StopSel=», MaxFragments=2, MaxWords=30, MinWords=10, FragmentDelimiter=" … "') as snippet,
      j.score::float8 as score, j.by_words as "byWords", j.by_meaning as "byMeaning"
    from joined j
    join headway_read.chunks d on d.id = j.chunk
    order by j.score desc, j.chunk`);
}

const hasOperators = /"|(?:^|\s)-\S/;

/** No text in a database contains NUL, so none is searched. */
const storable = (text: string): string => text.replaceAll("\0", "\ufffd");

function filter({ list, from, since, until }: Query): Statement {
  const conditions = [
    list === undefined ? null : sql`p.list = ${storable(list)}`,
    from === undefined ? null : sql`position(lower(${storable(from)}) in p.author) > 0`,
    since === undefined ? null : sql`p.at >= ${since}`,
    until === undefined ? null : sql`p.at < ${until}`,
  ].filter((condition) => condition !== null);
  return conditions.reduce((all, one) => sql`${all} and ${one}`, sql`true`);
}
