import type { ProjectionMeaning } from "../../engine/src/decide/own.ts";
import type { Database, Queryable } from "../../engine/src/store/database.ts";
import { names } from "../../engine/src/store/final-state.ts";
import { prepared, quoted, sql, statementOf } from "../../engine/src/store/sql.ts";

/** A broken promise of the read side, with evidence. */
export interface ReadingViolation {
  readonly promise: string;
  readonly story: string;
}

/** Promises of projections and look-ups at every moment, also right after a crash. */
export async function checkReading(db: Database): Promise<ReadingViolation[]> {
  const stale = await db.query<ReadingViolation & object>(prepared("reading-looks", staleLooks));
  return [...stale, ...(await checkProjections(db))];
}

const staleLooks = sql`
  with ${names}
  select 'fresh: a result is of the documents that its stage looked at' as promise,
    s.name || ' of ' || n.name || ' looked at another ' || c.name || '/' || l.id as story
  from headway.look l
  join headway.stage s on s.id = l.stage
  join headway.collection c on c.id = l.collection
  join name n on n.subject = l.subject
  left join headway.document d on d.collection = l.collection and d.id = l.id and d.gone_at is null
  where l.hash is distinct from d.hash
    and not exists (select 1 from headway.task t where t.subject = l.subject and t.stage = l.stage)
    and not exists (select 1 from headway.document g where g.subject = l.subject and g.gone_at is not null)`;

interface ProjectionRow {
  readonly name: string;
  readonly collection: number;
  readonly definition: ProjectionMeaning;
}

/** A projection holds the declared columns of the visible documents, no more and no less. */
async function checkProjections(db: Database): Promise<ReadingViolation[]> {
  const found: ReadingViolation[] = [];
  const rows = await db.query<ProjectionRow>(sql`
    select name, collection, definition from headway.projection where built_after is null order by name`);
  for (const { name, collection, definition } of rows) {
    const columns = ["id", ...definition.columns.map(([column]) => quoted(column))].join(", ");
    const values = ["id", ...definition.columns.map(([, , value]) => `(${value})`)].join(", ");
    const kept = `select ${columns} from headway_read.${quoted(name)}`;
    const said = `select ${values} from headway.document where collection = ${collection} and gone_at is null`;
    for (const [what, some, rest] of [
      ["lacks", said, kept],
      ["still has", kept, said],
    ] as const)
      found.push(...(await differences(db, name, what, `(${some}) except all (${rest})`)));
  }
  return found;
}

async function differences(
  db: Queryable,
  name: string,
  what: string,
  query: string,
): Promise<ReadingViolation[]> {
  const rows = await db.query<{ id: string }>(
    statementOf(`select d.id from (${query}) d (id) order by 1 limit 5`),
  );
  const promise = "a projection says what the documents say";
  return rows.map(({ id }) => ({ promise, story: `"${name}" ${what} ${id}` }));
}
