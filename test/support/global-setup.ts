import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import pg from "pg";

const repo = new URL("../../", import.meta.url);
const servers = {
  HEADWAY_TEST_POSTGRES: "postgres",
  HEADWAY_TEST_RABBITMQ: "rabbitmq",
  HEADWAY_TEST_PGBOUNCER: "pgbouncer",
};

/**
 * Provides every test file with working servers in `HEADWAY_TEST_…`; servers given by the caller are used unchanged.
 */
export default async function setup(): Promise<void> {
  const given = process.env.HEADWAY_TEST_POSTGRES;
  const problem = given && (await problemWith(given));
  if (problem) throw new Error(`HEADWAY_TEST_POSTGRES does not answer: ${problem}`);
  execFileSync("bash", [fileURLToPath(new URL("tools/services.sh", repo))], { stdio: "inherit" });
  for (const [variable, service] of Object.entries(servers)) {
    process.env[variable] ??= readFileSync(new URL(`.cache/services/${service}.url`, repo), "utf8").trim();
  }
}

async function problemWith(connectionString: string): Promise<string | null> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    await client.query("select 1");
    return null;
  } catch (error) {
    return String(error);
  } finally {
    await client.end().catch(() => {});
  }
}
