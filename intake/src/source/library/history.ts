import { type Queryable, sql } from "@headway/engine";

/** A run of a source, as its history shows it. */
export interface RunLine {
  readonly run: number;
  readonly document: string;
  readonly due: string;
  readonly asked: string;
  /** `waiting` with a reason, `done` or `dead`. */
  readonly state: "waiting" | "done" | "dead";
  readonly attempts: number;
  readonly ready_at: Date | null;
  readonly fault: { readonly code: string; readonly message: string } | null;
  readonly result: RunResult | null;
}

export interface RunResult {
  readonly new: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly damaged: number;
  readonly bytes: number;
  readonly more: boolean;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly notes: readonly { readonly place: string; readonly because: string }[];
}

/** Runs of a source, or the newest of each source, newest first. */
export const readRuns = (
  db: Queryable,
  { source, limit }: { readonly source: string | null; readonly limit: number },
) =>
  db.query<RunLine & { readonly source: string }>(sql`
    select d.body ->> 'source' as source, (d.body ->> 'run')::int8 as run, 'source_runs/' || d.id as document,
      d.body ->> 'due' as due, d.body ->> 'asked' as asked,
      coalesce(t.state, 'done') as state, coalesce(t.attempts, 0) as attempts, t.ready_at,
      case when t.code is not null then jsonb_build_object('code', t.code, 'message', t.message) end as fault,
      case when t.state is null or t.state = 'done' then f.body end as result
    from headway_read.source_runs d
    left join headway_read._tasks t on t.collection = 'source_runs' and t.document = d.id
    left join headway_read.fetches f on f.id = d.id
    where ${
      source === null
        ? sql`d.id in (select name || '/' || slot from headway.scheduled_source)`
        : sql`d.body ->> 'source' = ${source} and d.id like ${`${source.replace(/[\\%_]/g, "\\$&")}/%`}`
    }
    order by (d.body ->> 'run')::int8 desc
    limit ${limit}`);
