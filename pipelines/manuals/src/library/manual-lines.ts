import { type AnyCollection, type Database, readersOf, sql } from "@headway/engine";
import {
  codes,
  excerpts,
  findings,
  pages,
  parts,
  pictures,
  plans,
  profiles,
  tables,
} from "../collections.ts";

/** A manual as one line of a list. */
export interface ManualLine {
  readonly id: string;
  readonly title: string;
  readonly place: string;
  /** Pages of the file; 0: not openable, or not opened yet. */
  readonly pages: number;
  readonly read: number;
  /** Pages without trustworthy text, by kind. */
  readonly thin: number;
  readonly garbled: number;
  readonly excerpts: number;
  readonly codes: number;
}

export async function listManuals(db: Database): Promise<readonly ManualLine[]> {
  return await db.query<ManualLine>(sql`
    with kept as (
      select 'sheets' as collection, d.body from headway_read.sheets d
      union all
      select 'plans', d.body from headway_read.plans d
      union all
      select 'excerpts', d.body from headway_read.excerpts d
      union all
      select 'codes', d.body from headway_read.codes d
    ), counted as (
      select k.body ->> 'manual' as manual,
        count(*) filter (where k.collection = 'sheets')::int4 as pages,
        max(k.body ->> 'title') filter (where k.collection = 'sheets') as title,
        count(*) filter (where k.collection = 'plans')::int4 as read,
        count(*) filter (where k.collection = 'plans' and k.body ->> 'standing' = 'thin')::int4 as thin,
        count(*) filter (where k.collection = 'plans' and k.body ->> 'standing' = 'garbled')::int4 as garbled,
        count(*) filter (where k.collection = 'excerpts')::int4 as excerpts,
        count(*) filter (where k.collection = 'codes')::int4 as codes
      from kept k
      group by manual
    )
    select d.id, coalesce(n.title, d.body ->> 'name') as title, d.body ->> 'place' as place,
      coalesce(n.pages, 0) as pages, coalesce(n.read, 0) as read, coalesce(n.thin, 0) as thin,
      coalesce(n.garbled, 0) as garbled, coalesce(n.excerpts, 0) as excerpts, coalesce(n.codes, 0) as codes
    from headway_read.manuals d
    left join counted n on n.manual = d.id
    order by d.id`);
}

/** The state of reading in one sentence: zeros are never silent. */
export function tellReading({ pages, read, thin, garbled }: ManualLine): string {
  if (pages === 0) return "not read";
  const unread = pages - read;
  if (unread + thin + garbled === 0) return "read";
  const gaps = [
    unread > 0 ? `${unread} unread` : "",
    thin > 0 ? `${thin} scanned` : "",
    garbled > 0 ? `${garbled} garbled` : "",
  ];
  return `${read === 0 ? "not read" : "read with gaps"}: ${gaps.filter((gap) => gap !== "").join(", ")}`;
}

const kept = { codes, excerpts, findings, pages, parts, pictures, plans, profiles, tables } as const;
const pageSize = 1_000;

/** Documents of one collection that belong to a manual, by id. */
export async function readOf<Body extends object>(
  db: Database,
  collection: keyof typeof kept,
  manual: string,
): Promise<readonly (Body & { readonly id: string })[]> {
  const { page } = readersOf(db);
  const found: object[] = [];
  for (let after = ""; ; ) {
    const read = await page<AnyCollection>(kept[collection], { where: { manual }, after, limit: pageSize });
    found.push(...read.documents);
    if (read.next === null) break;
    after = read.next;
  }
  return found as (Body & { readonly id: string })[];
}
