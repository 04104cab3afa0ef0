import type { Runnable } from "./sql.ts";

/**
 * The contract between Headway and a PostgreSQL, embedded (`pglite.ts`) or served (`postgres.ts`).
 *
 * Values come back alike from both: `int8` as a number, `timestamptz` as a Date, `json`/`jsonb` parsed, `bytea` as a
 * Buffer, arrays as arrays. A statement names its tables as `headway.task`; the database puts its own schema there.
 */
export interface Database extends Queryable {
  readonly kind: "pglite" | "postgres";
  /**
   * The pooler in front. Behind "transaction" nothing outlives a transaction: `listen` hears nothing, and a lock is
   * always free and says nothing about its holder, so liveness needs other evidence.
   */
  readonly pooler?: "transaction" | "session";
  /** Location for people; never contains a password. */
  readonly place: string;
  /** The schema substituted for `headway.` in statements. */
  readonly schema: string;

  /**
   * Runs `work` in one transaction: committed when `work` resolves, rolled back when `work` throws. Inside of `work` use only `tx`: on
   * PGlite all further statements wait for the end of the transaction, so awaiting such a statement would never end.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;

  /** Runs a script of several statements without parameters, e.g. a migration; all of them or none take effect. */
  script(text: string): Promise<void>;

  /**
   * Calls `heard` for each notification on a channel until the returned function is called. A lost connection is
   * reopened silently and notifications in between are missed, so listeners have to poll too.
   */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;

  /**
   * A separate session with an observable end. `alive` turns false for good after the loss of the connection. On
   * PGlite there is only one session and one process, so `lock` always succeeds.
   */
  session(): Promise<Session>;

  close(): Promise<void>;
}

/** A database, or a transaction in one. */
export interface Queryable {
  /** Runs a statement and returns its rows. */
  query<Row extends object = object>(statement: Runnable): Promise<Row[]>;
}

export interface Session {
  readonly alive: boolean;
  /** Takes a session-level advisory lock without waiting; false: taken. */
  lock(key: bigint): Promise<boolean>;
  /** Statements on the session's own connection, for work that must not queue; absent with a single connection. */
  readonly line?: Pick<Database, "query" | "transaction">;
  /** Called once when the connection is lost, except after `close`. */
  onLost(lost: () => void): void;
  close(): Promise<void>;
}

/** The connection failed, not the statement, which may well work on the next connection. */
export function isConnectionError(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === "string") return connectionCode.test(code);
  return connectionMessage.test(String(message));
}

// 57P05 (idle session ended) and 25P03 (idle transaction ended) count; 57P04 (database dropped) does too: the next
// statement fails with a clear error.
const connectionCode = /^(08|57P0|25P03|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/;
// The driver's own errors have no code.
const connectionMessage =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)/;

/** The server is impaired (no connection or disk left, read-only after a failover): not the statement's fault. */
export const isServerUnwell = (error: unknown): boolean =>
  /^(53|58|25006)/.test(String((error as { code?: unknown } | null | undefined)?.code));

/** What ran an embedded database has ended, this process's thread or the process that shared it: waiting does not help. */
export const goneParts = ["thread", "owner"] as const;

/** The ended part of an embedded database, or undefined for any other error. */
export function gonePart(error: unknown): (typeof goneParts)[number] | undefined {
  const { gone, cause } = (error ?? {}) as { gone?: unknown; cause?: unknown };
  return goneParts.find((part) => part === gone) ?? (cause && cause !== error ? gonePart(cause) : undefined);
}

/** The process that shared its database has ended: another process opens the folder. */
export const isOwnerGone = (error: unknown): boolean => gonePart(error) === "owner";

/** The answer to a commit was lost, so its effect is unknown: ask the database before repeating. */
export const isCommitUnknown = (error: unknown): boolean =>
  (error as { commitUnknown?: unknown } | null | undefined)?.commitUnknown === true;

/** Marks a connection error during a commit; any other error is a definite answer and stays. */
export function asCommitUnknown(error: unknown): unknown {
  if (!isConnectionError(error) || isCommitUnknown(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const unknown = new Error(
    `The connection was lost before the database said whether it committed: ${reason}`,
    { cause: error },
  );
  // 08007 is SQL's code for an unknown transaction resolution.
  return Object.assign(unknown, { code: "08007", commitUnknown: true });
}

/** A statement of a transaction failed and `work` went on regardless; the database keeps nothing. */
export const rolledBackAnyway = (cause: unknown): Error =>
  Object.assign(
    new Error("The transaction was rolled back because a statement in it had failed.", { cause }),
    {
      code: "25P02",
    },
  );

export const closedError = (): Error => new Error("The database is closed.");
export const endedError = (): Error =>
  new Error("This transaction has ended; its `tx` cannot be used any more.");

/** Start of the application name of each of our sessions on a server. */
export const sessionPrefix = "headway";
