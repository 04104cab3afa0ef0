/** The same database, reached through the pooler in front of the test PostgreSQL, which lends sessions by the transaction. */
export function pooled(databaseUrl: string): string {
  const through = besidePooler(databaseUrl);
  through.searchParams.set("pooler", "transaction");
  return through.href;
}

/** The same, by somebody who does not know that there is a pooler. */
export const pooledUnknowingly = (databaseUrl: string): string => besidePooler(databaseUrl).href;

function besidePooler(databaseUrl: string): URL {
  const through = new URL(databaseUrl);
  through.host = new URL(process.env.HEADWAY_TEST_PGBOUNCER ?? "").host;
  return through;
}
