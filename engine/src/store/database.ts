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
   * What stands in front of it. Behind "transaction" nothing outlives a transaction: nothing is heard by `listen`, and a
   * lock is always free and says nothing about its holder, so that others must go by something else.
   */
  readonly pooler?: "transaction" | "session";
  /** What a person would recognise it by; never contains a password. */
  readonly place: string;
  /** The schema that stands where a statement says `headway.`. */
  readonly schema: string;

  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. Inside of `work` use only
   * `tx`: on PGlite everything else waits until the transaction has ended, so waiting for that would never end.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;

  /** Runs a script of several statements without parameters, e.g. a migration; all of them or none take effect. */
  script(text: string): Promise<void>;

  /**
   * Calls `heard` for each notification on a channel until the returned function is called. A lost connection is
   * opened again in silence and what was said meanwhile is missed, so whoever listens has to look now and then too.
   */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;

  /**
   * A session of its own whose end is noticed by others. `alive` turns false for good when the connection behind it
   * is lost. On PGlite there is only one session and one process, so `lock` always succeeds.
   */
  session(): Promise<Session>;

  close(): Promise<void>;
}

export interface Queryable {
  query<Row extends object = object>(statement: Runnable): Promise<Row[]>;
}

export interface Session {
  readonly alive: boolean;
  /** Takes a session-level advisory lock without waiting; false: somebody else has it. */
  lock(key: bigint): Promise<boolean>;
  /** Statements on this very connection, for what must not queue behind work; absent where all share one. */
  readonly line?: Pick<Database, "query" | "transaction">;
  /** Called once when the connection is lost without having been closed by us. */
  onLost(lost: () => void): void;
  close(): Promise<void>;
}

/** The connection failed, not the statement: the same statement may well work on the next connection. */
export function isConnectionError(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === "string") return connectionCode.test(code);
  return connectionMessage.test(String(message));
}

// 57P05 (idle session ended) and 25P03 (we stood still in a transaction) count; 57P04 (database dropped) does too,
// whoever asks next is told so by name.
const connectionCode = /^(08|57P0|25P03|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/;
// The driver's own errors have no code.
const connectionMessage =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)/;

/** The server cannot do its work just now (no connection or disk left, read-only after a failover): no statement's fault. */
export const isServerUnwell = (error: unknown): boolean =>
  /^(53|58|25006)/.test(String((error as { code?: unknown } | null | undefined)?.code));

/** The answer to a commit never came, so nobody knows whether it took effect: ask the database before repeating it. */
export const isCommitUnknown = (error: unknown): boolean =>
  (error as { commitUnknown?: unknown } | null | undefined)?.commitUnknown === true;

/** Marks a connection error that came while a commit was under way; any other error is a plain answer and stays. */
export function asCommitUnknown(error: unknown): unknown {
  if (!isConnectionError(error) || isCommitUnknown(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const unknown = new Error(
    `The connection was lost before the database said whether it committed: ${reason}`,
    { cause: error },
  );
  // 08007 is SQL's own name for it: transaction resolution unknown.
  return Object.assign(unknown, { code: "08007", commitUnknown: true });
}

/** A statement of a transaction failed and `work` went on as if it had not; the database keeps nothing of it. */
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
