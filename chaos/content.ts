import type { Database } from "../engine/src/store/database.ts";
import { sql } from "../engine/src/store/sql.ts";
import type { Violation } from "./evidence.ts";

/** All visible documents and all dead letters, as lines: equal lines mean equal databases. */
export async function contentOf(db: Database): Promise<Map<string, string>> {
  const rows = await db.query<{ name: string; what: string }>(sql`
    select c.name || '/' || d.id as name, encode(d.hash, 'hex') as what
    from headway.document d join headway.collection c on c.id = d.collection
    where d.gone_at is null and c.name not in ('bombs', 'ashes')
      -- Readers keep the last good result of what has died since; a quiet run never had it.
      and not exists (select 1 from headway.dead_letter x where x.subject = d.producer and x.stage = d.producer_stage)
    union all
    select 'dead ' || s.name || ' of ' || coalesce(d.id, g.key), x.reason || ' ' || x.code
    from headway.dead_letter x
    join headway.stage s on s.id = x.stage
    left join headway.document d on d.subject = x.subject
    left join headway.grouping g on g.subject = x.subject
    where s.name <> 'defusing'`);
  return new Map(rows.map(({ name, what }) => [name, what]));
}

/** Missing and unexpected lines, compared with a fault-free run. */
export function compareContent(
  found: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
): Violation[] {
  const violations: Violation[] = [];
  for (const [name, what] of wanted) {
    const have = found.get(name);
    if (have === undefined)
      violations.push({
        promise: "Nothing lost: the content is that of a quiet run",
        harm: "lost",
        story: `${name} is missing`,
      });
    else if (have !== what)
      violations.push({
        promise: "Nothing stale: the content is that of a quiet run",
        harm: "lost",
        story: `${name} is ${have.slice(0, 60)}, it should be ${what.slice(0, 60)}`,
      });
  }
  for (const name of found.keys()) {
    if (!wanted.has(name))
      violations.push({
        promise: "Nothing doubled: the content is that of a quiet run",
        harm: "doubled",
        story: `${name} should not be there`,
      });
  }
  return violations;
}

/** Existing documents from outside. */
export async function handedIn(db: Database): Promise<Set<string>> {
  const rows = await db.query<{ name: string }>(sql`
    select c.name || '/' || d.id as name
    from headway.document d join headway.collection c on c.id = d.collection
    where d.gone_at is null and d.producer_stage = 0`);
  return new Set(rows.map((row) => row.name));
}
