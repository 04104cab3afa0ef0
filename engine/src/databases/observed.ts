import type { Database, Queryable, Session } from "../store/database.ts";

/** One statement as its caller saw it: the time includes waiting for a connection. */
export interface ObservedStatement {
  /** The text without values; a script of a migration is cut. */
  readonly text: string;
  readonly ms: number;
  readonly failed: boolean;
}

const textLengthMax = 2_000;

/** The same database, which tells about each statement after its end: for measuring. */
export function observed(database: Database, tell: (statement: ObservedStatement) => void): Database {
  async function timed<T>(text: string, act: () => Promise<T>): Promise<T> {
    const from = performance.now();
    let failed = true;
    try {
      const result = await act();
      failed = false;
      return result;
    } finally {
      tell({ text: text.slice(0, textLengthMax), ms: performance.now() - from, failed });
    }
  }
  const queryOf =
    (inner: Queryable): Queryable["query"] =>
    (statement) =>
      timed(statement.text, () => inner.query(statement));
  const transactionOf =
    (inner: Pick<Database, "transaction">): Database["transaction"] =>
    (work) =>
      inner.transaction((tx) => work({ query: queryOf(tx) }));
  return {
    ...database,
    query: queryOf(database),
    transaction: transactionOf(database),
    script: (text) => timed(text, () => database.script(text)),
    session: async () => observedSession(await database.session(), { queryOf, transactionOf }),
  };
}

function observedSession(
  session: Session,
  of: {
    queryOf(inner: Queryable): Queryable["query"];
    transactionOf(inner: Pick<Database, "transaction">): Database["transaction"];
  },
): Session {
  const { line } = session;
  if (!line) return session;
  const own = { query: of.queryOf(line), transaction: of.transactionOf(line) };
  return {
    get alive() {
      return session.alive;
    },
    lock: (key) => session.lock(key),
    line: own,
    onLost: (lost) => session.onLost(lost),
    close: () => session.close(),
  };
}
