/** The same database through PgBouncer in transaction mode, in front of the test PostgreSQL. */
export function pooled(databaseUrl: string): string {
  const through = besidePooler(databaseUrl);
  through.searchParams.set("pooler", "transaction");
  return through.href;
}

/** The same, without declaring the pooler. */
export const pooledUnknowingly = (databaseUrl: string): string => besidePooler(databaseUrl).href;

function besidePooler(databaseUrl: string): URL {
  const through = new URL(databaseUrl);
  through.host = new URL(process.env.HEADWAY_TEST_PGBOUNCER ?? "").host;
  return through;
}
