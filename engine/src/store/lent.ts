import { type Database, isConnectionError, isServerUnwell, type Queryable } from "./database.ts";

/** Errors of the engine's own database that stages have met. */
const met = new WeakSet<object>();

/** The engine's database in the hands of stages and services: what breaks in it there is known again as its own. */
export function lend(database: Database): Database {
  const marked = async <T>(asking: Promise<T>): Promise<T> => {
    try {
      return await asking;
    } catch (error) {
      if (typeof error === "object" && error !== null) met.add(error);
      throw error;
    }
  };
  const queryable = (of: Queryable): Queryable => ({ query: (statement) => marked(of.query(statement)) });
  return {
    ...database,
    ...queryable(database),
    transaction: (work) => marked(database.transaction((tx) => work(queryable(tx)))),
  };
}

/** A stage failed because the engine's own database was away under it: nobody's fault, and every other stage waits too. */
export const isOwnDatabaseAway = (thrown: unknown): boolean =>
  typeof thrown === "object" &&
  thrown !== null &&
  met.has(thrown) &&
  (isConnectionError(thrown) || isServerUnwell(thrown));
