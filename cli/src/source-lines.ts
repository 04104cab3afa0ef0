import type { Database } from "@headway/engine";
import {
  hasSourceTables,
  listHosts,
  listSources,
  type RunLine,
  readRuns,
  readSource,
  type SourceRow,
  showSchedule,
} from "@headway/intake";

/** A source as people see it; never with its secret. */
export interface SourceLine {
  readonly name: string;
  readonly kind: string;
  readonly place: string;
  readonly pipeline: string;
  readonly list: string | null;
  readonly schedule: string;
  readonly nextAt: Date | null;
  readonly paused: { readonly at: Date; readonly by: string | null; readonly why: string | null } | null;
  /** `operator`, or `config` for a source of headway.config.ts. */
  readonly origin: string;
  readonly addedAt: Date;
  readonly addedBy: string;
  readonly hasSecret: boolean;
  readonly allowPrivate: boolean;
  /** The newest run. */
  readonly last: RunLine | null;
  /** The host does not answer: its runs wait, and cost no attempt. */
  readonly hostDown: { readonly host: string; readonly since: Date; readonly probeAt: Date } | null;
}

export async function readSourceLines(database: Database): Promise<SourceLine[]> {
  if (!(await hasSourceTables(database))) return [];
  const rows = await listSources(database);
  const newest = new Map(
    (await readRuns(database, { source: null, limit: 100_000 })).map(({ source, ...run }) => [source, run]),
  );
  const hosts = await listHosts(database);
  return rows.map((row) => lineOf(row, newest.get(row.name) ?? null, hosts));
}

/** One source with its runs, newest first; null: there is none of that name. */
export async function readSourcePage(
  database: Database,
  name: string,
): Promise<(SourceLine & { readonly runs: readonly RunLine[] }) | null> {
  if (!(await hasSourceTables(database))) return null;
  const row = await readSource(database, name);
  if (!row) return null;
  const runs = (await readRuns(database, { source: name, limit: 100 })).map(({ source: _, ...run }) => run);
  return { ...lineOf(row, runs[0] ?? null, await listHosts(database)), runs };
}

type Host = Awaited<ReturnType<typeof listHosts>>[number];

function lineOf(row: SourceRow, last: RunLine | null, hosts: readonly Host[]): SourceLine {
  const { spec } = row;
  const host = URL.canParse(spec.place) ? new URL(spec.place).host : null;
  const down = hosts.find((one) => one.host === host);
  return {
    name: row.name,
    kind: spec.kind,
    place: spec.place,
    pipeline: spec.pipeline,
    list: spec.list,
    schedule: showSchedule(spec.schedule),
    nextAt: row.next_at,
    paused: row.paused_at && { at: row.paused_at, by: row.paused_by, why: row.paused_why },
    origin: row.origin,
    addedAt: row.added_at,
    addedBy: row.added_by,
    hasSecret: row.has_secret,
    allowPrivate: spec.allowPrivate,
    last,
    hostDown: down ? { host: down.host, since: down.since, probeAt: down.probe_at } : null,
  };
}

/** The state of a source in a few words. */
export function showStanding({ paused, hostDown, last }: SourceLine): string {
  if (paused) return "paused";
  if (hostDown) return "host down";
  if (!last) return "not run yet";
  if (last.state === "dead") return `failed: ${last.fault?.code ?? "?"}`;
  if (last.state === "waiting") return last.fault ? `retries: ${last.fault.code}` : "runs";
  const { result } = last;
  if (!result) return "done";
  const parts = [`${result.new} new`, `${result.unchanged} unchanged`];
  if (result.refused > 0) parts.push(`${result.refused} refused`);
  if (result.damaged > 0) parts.push(`${result.damaged} skipped`);
  return parts.join(", ");
}
