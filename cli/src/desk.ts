import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { migrationsStanding } from "@headway/engine/internal";
import { type Database, type Operator, openDatabase, openOperator } from "@headway/engine/operate";
import { currentApp, runsConsensus } from "./app/current-app.ts";
import { Refusal } from "./exit-codes.ts";
import { placeOf, type SharedOptions } from "./shared-options.ts";
import { whenFree } from "./when-free.ts";

/** An operator's access: the database, with all queries and acts. No engine runs here. */
export interface Desk {
  readonly database: Database;
  readonly operator: Operator;
}

/**
 * Opens the database of any pipelines, ours or a user's: embedded, embedded and shared by its owner process, or a
 * server. `exact`: results are compared with the settings of this command.
 */
export async function withDesk<T>(
  options: SharedOptions,
  act: (desk: Desk) => Promise<T>,
  { exact = false } = {},
): Promise<T> {
  const { data, database: option } = placeOf(options);
  if ("folder" in option && !existsSync(join(data, "data"))) {
    throw new Refusal(`There is no database in ${data}: give another folder with --data, or ${firstStep()}.`);
  }
  const database = await whenFree(() => openDatabase(option, { poolMax: 2 }));
  try {
    await refuseEmpty(database);
    const alone = database.kind === "pglite" && !("remote" in database);
    const operator = await openOperator({
      database,
      actor: actorName(),
      pipelines: currentApp().pipelines(),
      exact,
      alone,
    });
    return await act({ database, operator });
  } finally {
    await database.close();
  }
}

/** Refuses a server without a schema: a query must not create anything. */
async function refuseEmpty(database: Database): Promise<void> {
  const [engine] = await migrationsStanding(database, []);
  if (engine?.applied !== 0) return;
  throw new Refusal(
    `There is nothing of Headway in ${database.place} yet: name another database with --database, or ${firstStep()}.`,
  );
}

/** The actor's name in the audit. */
export const actorName = (): string => process.env.HEADWAY_ACTOR || userInfo().username || "somebody";

/** What fills an empty database. */
const firstStep = (): string =>
  runsConsensus() ? 'read an archive with "headway ingest PATH"' : 'hand documents in with "headway accept"';
