import type { Database } from "../engine/src/store/database.ts";
import { sql } from "../engine/src/store/sql.ts";
import type { Ears } from "./ears.ts";
import type { Violation } from "./evidence.ts";
import type { ToldEvent } from "./fleet.ts";

/** Every fact is published at least once, and nothing but facts. `told`: keys with the number of publications. */
export async function checkEvents(db: Database, told: ReadonlyMap<string, unknown>): Promise<Violation[]> {
  const rows = await db.query<{ key: string; waits: boolean }>(
    sql`select key, relayed_at is null as waits from headway.outbox`,
  );
  const known = new Set(rows.map((row) => row.key));
  const done = await db.query<{ key: string; subject: number }>(sql`
    select case s.name when 'opening' then 'ParcelOpened' else 'ShelfBound' end || '/' || s.name || '/' || r.subject
      || '/' || left(encode(r.marker, 'hex'), 32) as key, r.subject
    from headway.done r join headway.stage s on s.id = r.stage
    where s.name in ('opening', 'binding')
      and (exists (select 1 from headway.document d where d.subject = r.subject and d.gone_at is null)
        or exists (select 1 from headway.grouping g where g.subject = r.subject))
      and not exists (select 1 from headway.dead_letter x where x.subject = r.subject and x.stage = r.stage)`);
  const dead = await db.query<{ subject: number; stage: string }>(sql`
    select x.subject, s.name as stage from headway.dead_letter x join headway.stage s on s.id = x.stage
    where s.name in ('opening', 'defusing') and not exists (select 1 from headway.outbox o
      where o.subject = x.subject and o.stage = x.stage and o.type in ('ParcelRefused', 'BombBuried'))`);
  const promise = "Each event is told at least once";
  return [
    ...done
      .filter(({ key }) => !known.has(key))
      .map(({ key, subject }) => ({ promise, story: `${key} was never written down`, subject })),
    ...dead.map(({ subject, stage }) => ({
      promise,
      story: `a death in ${stage} was never written down`,
      subject,
    })),
    ...rows
      .filter(({ key }) => !told.has(key))
      .map(({ key }) => ({ promise, story: `${key} was never told` })),
    ...rows
      .filter(({ waits }) => waits)
      .map(({ key }) => ({ promise, story: `${key} still waits to be told` })),
    ...[...told.keys()]
      .filter((key) => !known.has(key))
      .map((key) => ({ promise: "No event without its commit", story: `${key} was told and is not true` })),
  ].map((one) => ({ ...one, harm: "other" as const }));
}

/** Every event confirmed by the broker reaches each bound queue, unless the broker was emptied since. */
export function checkHeard(
  told: ReadonlyMap<string, ToldEvent>,
  { heard, since }: Pick<Ears, "heard" | "since">,
): Violation[] {
  return [...told]
    .filter(([key, { lastAt }]) => since !== null && lastAt > since && !heard.has(key))
    .map(([key]) => ({
      promise: "Each event reaches whoever has a queue for it",
      harm: "other",
      story: `${key} was told and not heard`,
    }));
}
