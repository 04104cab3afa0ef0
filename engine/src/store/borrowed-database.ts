import { type Database, isConnectionError, isServerUnwell, type Queryable } from "./database.ts";

/** Errors of the engine's own database met by stages. */
const met = new WeakSet<object>();

/** The engine's database as lent to stages and services: its errors are recognised later as the engine's own. */
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

/**
 * A stage failed because the engine's own database was away: not the document's fault, and every other stage waits
 * too.
 */
export const isOwnDatabaseAway = (thrown: unknown): boolean =>
  typeof thrown === "object" &&
  thrown !== null &&
  met.has(thrown) &&
  (isConnectionError(thrown) || isServerUnwell(thrown));
