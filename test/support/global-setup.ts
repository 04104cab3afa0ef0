import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import pg from "pg";

const repo = new URL("../../", import.meta.url);
const urlFile = new URL(".cache/services/postgres.url", repo);

/** Every test file finds a PostgreSQL that answers under `HEADWAY_TEST_POSTGRES`; a given one is used as it is. */
export default async function setup(): Promise<void> {
  const given = process.env.HEADWAY_TEST_POSTGRES;
  if (given) {
    const problem = await problemWith(given);
    if (problem) throw new Error(`HEADWAY_TEST_POSTGRES does not answer: ${problem}`);
    return;
  }
  if (!existsSync(urlFile) || (await problemWith(readUrl()))) {
    execFileSync("bash", [fileURLToPath(new URL("tools/services.sh", repo))], { stdio: "inherit" });
  }
  process.env.HEADWAY_TEST_POSTGRES = readUrl();
}

const readUrl = () => readFileSync(urlFile, "utf8").trim();

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
