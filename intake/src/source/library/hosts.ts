import { type Queryable, rateLimited, sql } from "@headway/engine";

const failuresMax = 3;
const probeMs = { first: 30_000, max: 900_000 };

/**
 * Circuit breakers of hosts. After three failures in a row, runs of the host's sources wait without an attempt, and a single run
 * probes now and then; further hosts are not concerned.
 */
export interface Hosts {
  /** Throws a wait while the host is down; otherwise the caller may connect. */
  enter(host: string): Promise<void>;
  /** Counts a failure; throws a wait if the host is down by now. */
  failed(host: string, fault: string): Promise<void>;
  succeeded(host: string): Promise<void>;
}

export function makeHosts(db: Queryable, now: () => Date): Hosts {
  return {
    async enter(host) {
      const [row] = await db.query<HostRow>(
        sql`select failures, since, probe_at, fault from headway.source_host where host = ${host}`,
      );
      if (!row || row.failures < failuresMax) return;
      const at = now();
      if (row.probe_at <= at) {
        const delayMs = Math.min(probeMs.max, probeMs.first * 2 ** Math.min(row.failures - failuresMax, 10));
        const mine = await db.query(sql`
          update headway.source_host set probe_at = ${new Date(at.getTime() + delayMs)}
          where host = ${host} and probe_at = ${row.probe_at} returning 1`);
        if (mine.length > 0) return;
      }
      throw down(host, row, at);
    },
    async failed(host, fault) {
      const at = now();
      const probeAt = new Date(at.getTime() + probeMs.first);
      const [row] = await db.query<HostRow>(sql`
        insert into headway.source_host as h (host, failures, since, probe_at, fault)
        values (${host}, 1, ${at}, ${probeAt}, ${fault.slice(0, 500)})
        on conflict (host) do update set failures = h.failures + 1, fault = excluded.fault,
          probe_at = greatest(h.probe_at, excluded.probe_at)
        returning failures, since, probe_at, fault`);
      if (row && row.failures >= failuresMax) throw down(host, row, at);
    },
    async succeeded(host) {
      await db.query(sql`delete from headway.source_host where host = ${host}`);
    },
  };
}

interface HostRow {
  readonly failures: number;
  readonly since: Date;
  readonly probe_at: Date;
  readonly fault: string;
}

const down = (host: string, { since, probe_at: probeAt, fault }: HostRow, at: Date) =>
  rateLimited(
    "host.down",
    `${host} is down since ${since.toISOString()}, and is probed: ${fault}`,
    Math.max(1_000, probeAt.getTime() - at.getTime()),
  );

export const listHosts = (db: Queryable) =>
  db.query<HostRow & { readonly host: string }>(
    sql`select host, failures, since, probe_at, fault from headway.source_host where failures >= ${failuresMax} order by host`,
  );
