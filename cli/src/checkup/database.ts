import { existsSync } from "node:fs";
import { join } from "node:path";
import { migrationsStanding, readHealth } from "@headway/engine/internal";
import { type Database, openDatabase, openOperator } from "@headway/engine/operate";
import { adviceFor } from "../advice.ts";
import { currentApp, runsConsensus, runsManuals } from "../app/current-app.ts";
import type { Place } from "../shared-options.ts";
import { showSpan } from "../show-time.ts";
import { showCount } from "../terminal.ts";
import { whenFree } from "../when-free.ts";
import { checkBlobs } from "./blobs.ts";
import { type Finding, findingsOf, showBytes } from "./finding.ts";

/** Checks the database and its content; opened as usual, and closed again. */
export async function checkDatabase(place: Place, deep: boolean): Promise<Finding[]> {
  const { data, database: option } = place;
  const { warn, bad } = findingsOf("database");
  if ("folder" in option && !existsSync(join(data, "data")))
    return [warn(`There is no database in ${data} yet: it is made by "headway ingest PATH".`)];
  let database: Database;
  try {
    database = await whenFree(() => openDatabase(option, { poolMax: 2 }));
  } catch (error) {
    const { message } = error as Error;
    if ("url" in option)
      return [bad(`It cannot be opened (${message}): check --database and that the server runs.`)];
    // A locked or unusable folder is reported with advice.
    const advice = adviceFor(error);
    return [bad(advice === "" ? message : `It cannot be opened (${message}). ${advice}`)];
  }
  try {
    const migrations = await checkMigrations(database);
    const facts = await checkFacts(database);
    if (migrations.some(({ state }) => state !== "ok")) return [...facts, ...migrations];
    const blobs = runsConsensus() || runsManuals() ? [await checkBlobs(place, database, deep)] : [];
    return [...facts, ...migrations, ...(await checkWork(database)), ...blobs];
  } catch (error) {
    const advice = adviceFor(error) || "see what stands in its log, or restore a backup";
    return [bad(`It does not answer as it should (${(error as Error).message}): ${advice}`)];
  } finally {
    await database.close();
  }
}

const clockWarnMs = 2_000;
const clockBadMs = 60_000;
const idleWarnSeconds = 60;

async function checkFacts(database: Database): Promise<Finding[]> {
  const before = Date.now();
  const health = await readHealth(database);
  const off = health.now.getTime() - (before + Date.now()) / 2;
  const { version, vector, vectorAvailable, waiting, idleSeconds, connections, connectionsMax, bytes } =
    health;
  const through = "remote" in database ? ", through the process that has it open" : "";
  const main = findingsOf("database");
  const extension = findingsOf("pgvector");
  const clock = findingsOf("clock");
  const locks = findingsOf("locks");
  const apart = `This machine's clock is ${showSpan(Math.abs(off))} ${off > 0 ? "behind" : "ahead of"} the database's`;
  return [
    connections > 0.9 * connectionsMax
      ? main.warn(
          `PostgreSQL ${version} has ${connections} of ${connectionsMax} connections taken: raise max_connections.`,
        )
      : main.ok(`PostgreSQL ${version} at ${database.place}${through}, ${showBytes(bytes)}.`),
    vector
      ? extension.ok(`pgvector ${vector} is installed.`)
      : vectorAvailable
        ? extension.warn(
            'pgvector is not switched on, so only words are searched: run "create extension vector" as the owner.',
          )
        : extension.warn(
            "This PostgreSQL has no pgvector, so only words are searched: install it on the server.",
          ),
    Math.abs(off) > clockBadMs
      ? clock.bad(`${apart}: switch on time synchronisation.`)
      : Math.abs(off) > clockWarnMs
        ? clock.warn(`${apart}: switch on time synchronisation. Workers go by the database's.`)
        : clock.ok("This machine and the database agree about the time."),
    idleSeconds > idleWarnSeconds
      ? locks.warn(
          `A transaction has done nothing for ${showSpan(idleSeconds * 1_000)} and may hold others up: find it in pg_stat_activity.`,
        )
      : waiting > 0
        ? locks.warn(
            `${showCount(waiting, "session")} wait for a lock: if that stays so, find who holds it in pg_locks.`,
          )
        : locks.ok("Nobody waits for a lock."),
  ];
}

async function checkMigrations(database: Database): Promise<Finding[]> {
  const { ok, warn, bad } = findingsOf("migrations");
  const standings = await migrationsStanding(database, currentApp().pipelines());
  const problem = standings.find((one) => one.problem)?.problem;
  if (problem) return [bad(problem)];
  const behind = standings.filter(
    ({ of, applied, known }) => applied < known && (of === "engine" || applied > 0),
  );
  return behind.length > 0
    ? [
        warn(
          `${behind.map(({ of, applied, known }) => `${of}: ${applied} of ${known}`).join(", ")}: the next start ("headway up") brings it up to date; make a backup first.`,
        ),
      ]
    : [ok(`All ${standings[0]?.known} migrations of the engine are there.`)];
}

/** The state of work: not part of a health check, but the next question. */
async function checkWork(database: Database): Promise<Finding[]> {
  const { ok, warn, bad } = findingsOf("work");
  const pipelines = currentApp().pipelines();
  const operator = await openOperator({ database, actor: "headway doctor", pipelines });
  const lines = await operator.status();
  // As verify does: a stage without code here owes nothing for documents that came later.
  const own = lines.filter(({ stage }) =>
    pipelines.some((one) => one.stages.some(({ name }) => name === stage)),
  );
  const unbalanced = (own.length > 0 ? own : lines).find(({ balanced }) => !balanced);
  if (unbalanced) return [bad(`The ledger of ${unbalanced.stage} does not balance: run "headway verify".`)];
  const shut = lines.filter((line) => line.shut !== null);
  if (shut.length > 0)
    return [
      warn(
        `Nothing is claimed for ${shut.map((line) => `${line.stage} (${line.shut})`).join(", ")}: see "headway status".`,
      ),
    ];
  const dead = lines.reduce((sum, line) => sum + line.dead - line.closed, 0);
  return [
    dead > 0
      ? warn(`${showCount(dead, "dead letter")}: see why with "headway failed list".`)
      : ok("The ledger balances."),
  ];
}
