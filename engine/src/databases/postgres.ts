import type pg from "pg";
import type { Database, Queryable, Session } from "../store/database.ts";
import {
  asCommitUnknown,
  closedError,
  endedError,
  isConnectionError,
  rolledBackAnyway,
} from "../store/database.ts";
import type { PlacedText, Runnable } from "../store/sql.ts";
import { placeIn, preparedName } from "../store/sql.ts";
import { encodeValue } from "./encode.ts";
import type { Address, Listener } from "./postgres-connection.ts";
import {
  openConnection,
  openListener,
  poolerUntold,
  poolOf,
  readAddress,
  setupError,
} from "./postgres-connection.ts";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with `?sslmode=…` and `?pooler=transaction` where needed. */
  readonly url: string;
  readonly schema?: string;
  /** Connections for statements; listening and each session take one more. */
  readonly poolMax?: number;
  readonly applicationName?: string;
  /** Longest idle time within a transaction before the server ends the session of a frozen or missing process. */
  readonly frozenMs?: number;
}

export const postgresDefaults = {
  schema: "headway",
  poolMax: 4,
  applicationName: "headway",
  frozenMs: 10_000,
} as const;

const versionMin = 15;
/** Time for running transactions to finish in `close`, before the cut. */
const closeMs = 5_000;

/** Opens a PostgreSQL server; fails with one sentence if unreachable or too old. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, schema, poolMax, applicationName, frozenMs } = { ...postgresDefaults, ...options };
  const address = readAddress({ url, applicationName });
  const pooled = address.pooler === "transaction";
  const pool = poolOf(address, { max: poolMax, frozenMs });
  const connections = makeConnections(pool, address);
  try {
    await checkServer(connections, address);
  } catch (error) {
    await connections.close();
    throw error;
  }
  const spoken: Spoken = {
    place: placeIn(schema),
    begin: pooled ? beginFor(frozenMs) : begin,
    named: !pooled,
  };
  const listener = pooled ? deafListener : openListener(address);
  const sessions = new Set<Session>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await Promise.all([listener.close(), ...[...sessions].map((session) => session.close())]);
    await connections.close();
  }

  return {
    kind: "postgres",
    ...(address.pooler ? { pooler: address.pooler } : {}),
    place: address.place,
    schema,
    query: (statement) => queryOnce(connections, prepare(spoken, statement)),
    transaction: (work) => runTransaction(connections, spoken, work),
    script: async (text) => void (await queryOnce(connections, { text: spoken.place(text).text })),
    listen: (channel, heard) => (closing ? Promise.reject(closedError()) : listener.listen(channel, heard)),
    async session() {
      if (closing) throw closedError();
      return pooled ? sessionOfNobody() : await openSession(address, sessions, spoken, frozenMs);
    },
    close: () => (closing ??= close()),
  };
}

async function checkServer(connections: Connections, address: Address): Promise<void> {
  const client = await connections.take();
  let rows: { version: number; backend: number }[];
  let broken = true;
  try {
    const text = "select current_setting('server_version_num')::int4 as version, pg_backend_pid() as backend";
    ({ rows } = await client.query<{ version: number; backend: number }>({ text }));
    broken = false;
  } finally {
    connections.giveBack(client, broken);
  }
  const version = Math.floor((rows[0]?.version ?? 0) / 10_000);
  if (version < versionMin) {
    throw new Error(
      `${address.place} is PostgreSQL ${version}; Headway needs PostgreSQL ${versionMin} or newer.`,
    );
  }
  // A server announces the number of its backend process. A pooler has none and invents a number.
  const greeted = (client as unknown as { processID: number | null }).processID;
  if (address.pooler === null && greeted !== rows[0]?.backend) throw poolerUntold(address);
}

const begin = "begin isolation level read committed";
const beginFor = (frozenMs: number): string =>
  `${begin}; set local idle_in_transaction_session_timeout = ${frozenMs}`;

/** How statements are sent on the connections of this database. */
interface Spoken {
  readonly place: (text: string) => PlacedText;
  readonly begin: string;
  /** Whether a session remembers prepared statements. */
  readonly named: boolean;
}

/** No notifications: LISTEN ends with the transaction. Listeners poll too. */
const deafListener: Listener = {
  listen: async () => async () => undefined,
  close: async () => undefined,
};

/** A lock would stay with the next user of the server's session, so no lock is taken and none is in the way. */
function sessionOfNobody(): Session {
  let alive = true;
  return {
    get alive() {
      return alive;
    },
    lock: async () => true,
    onLost: () => undefined,
    async close() {
      alive = false;
    },
  };
}

/** Without `values` the text uses the simple protocol, the only way to send several statements at once. */
type Prepared = pg.QueryConfig;

function prepare({ place, named }: Spoken, statement: Runnable): Prepared {
  const { text, hash } = place(statement.text);
  const values = statement.values.map(encodeValue);
  // "extended" also without parameters, so a text can never contain several statements.
  const config = { text, values, queryMode: "extended" };
  return statement.name === undefined || !named
    ? config
    : { ...config, name: preparedName(statement.name, hash) };
}

async function queryOnce<Row extends object>(connections: Lender, prepared: Prepared): Promise<Row[]> {
  const client = await connections.take();
  let failure: unknown;
  try {
    const { rows } = await client.query<Row>(prepared);
    return rows;
  } catch (error) {
    failure = error;
    // A single statement may have committed without an answer.
    throw asCommitUnknown(error);
  } finally {
    connections.giveBack(client, leavesBroken(failure));
  }
}

async function runTransaction<T>(
  connections: Lender,
  spoken: Spoken,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  const client = await connections.take();
  const tx = openTx(client, spoken);
  let broken = true;
  try {
    await client.query(spoken.begin);
    const result = await work(tx);
    await tx.end();
    broken = await commit(client, tx);
    return result;
  } catch (error) {
    await tx.end();
    broken = tx.committing || leavesBroken(error) || (await rollback(client));
    throw error;
  } finally {
    connections.giveBack(client, broken || leavesBroken(tx.failure));
  }
}

interface Tx extends Queryable {
  /** The first error of a statement, which `work` may have swallowed. */
  readonly failure: unknown;
  committing: boolean;
  /** Refuses further statements and waits for running statements. */
  end(): Promise<void>;
}

function openTx(client: pg.ClientBase, spoken: Spoken): Tx {
  let last: Promise<unknown> = Promise.resolve();
  let ended = false;
  let failure: unknown;
  async function run<Row extends object>(before: Promise<unknown>, prepared: Prepared): Promise<Row[]> {
    await before.catch(() => {});
    try {
      return (await client.query<Row>(prepared)).rows;
    } catch (error) {
      failure ??= error;
      throw error;
    }
  }
  return {
    committing: false,
    get failure() {
      return failure;
    },
    async query<Row extends object>(statement: Runnable): Promise<Row[]> {
      if (ended) throw endedError();
      const running = run<Row>(last, prepare(spoken, statement));
      last = running;
      return running;
    },
    async end() {
      ended = true;
      await last.catch(() => {});
    },
  };
}

/** True if the connection is unusable. */
async function commit(client: pg.ClientBase, tx: Tx): Promise<boolean> {
  tx.committing = true;
  let command: string;
  try {
    ({ command } = await client.query("commit"));
  } catch (error) {
    // A refusal, e.g. by a deferred constraint, ends the transaction as cleanly as a commit.
    tx.committing = leavesBroken(error);
    throw asCommitUnknown(error);
  }
  tx.committing = false;
  // PostgreSQL answers ROLLBACK, and no error, to the commit of a transaction with a failed statement.
  if (command !== "COMMIT") throw rolledBackAnyway(tx.failure);
  return false;
}

/** Never throws, to keep the original error; true if the connection is unusable. */
async function rollback(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query("rollback");
    return false;
  } catch {
    return true;
  }
}

/** 0A000: a prepared statement with a changed table; works again on a fresh connection. */
const leavesBroken = (error: unknown): boolean =>
  error !== undefined && (isConnectionError(error) || (error as { code?: unknown } | null)?.code === "0A000");

interface Lender {
  take(): Promise<pg.ClientBase>;
  giveBack(client: pg.ClientBase, broken: boolean): void;
}
interface Connections extends Lender {
  close(): Promise<void>;
}

/** Tracks taken and awaited connections: an ended pool forgets its waiters. */
function makeConnections(pool: pg.Pool, address: Address): Connections {
  const taken = new Set<pg.PoolClient>();
  const waiting = new Set<(error: Error) => void>();
  let closed = false;
  let idle = (): void => {};
  const checkIdle = (): void => {
    if (closed && taken.size === 0 && waiting.size === 0) idle();
  };
  const giveBack = (client: pg.ClientBase, broken: boolean): void => {
    taken.delete(client as pg.PoolClient);
    (client as pg.PoolClient).release(broken);
    checkIdle();
  };

  return {
    take: () =>
      new Promise((resolve, reject) => {
        if (closed) return reject(closedError());
        waiting.add(reject);
        pool.connect().then(
          (client) => {
            taken.add(client);
            if (!waiting.delete(reject)) return giveBack(client, true);
            resolve(client);
          },
          (error) => {
            waiting.delete(reject);
            reject(setupError(error, address));
            checkIdle();
          },
        );
      }),
    giveBack,
    async close() {
      closed = true;
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, closeMs);
        idle = () => {
          clearTimeout(late);
          resolve();
        };
        checkIdle();
      });
      // A transaction waiting for something else than the database is abandoned.
      for (const client of taken) destroy(client);
      for (const reject of waiting) reject(closedError());
      waiting.clear();
      const ended = pool.end();
      if (taken.size === 0) await ended;
    },
  };
}

const destroy = (client: pg.ClientBase): void =>
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();

async function openSession(
  address: Address,
  sessions: Set<Session>,
  spoken: Spoken,
  frozenMs: number,
): Promise<Session> {
  const lost: (() => void)[] = [];
  const lose = () => {
    sessions.delete(session);
    for (const tell of lost.splice(0)) tell();
  };
  const connection = await openConnection(address, lose, { idle_in_transaction_session_timeout: frozenMs });
  const only = (client: pg.ClientBase): Lender => ({
    take: async () => client,
    giveBack: (_, broken) => broken && destroy(client),
  });
  const session: Session = {
    get alive() {
      return connection.alive;
    },
    async lock(key) {
      const text = "select pg_try_advisory_lock($1::int8) as taken";
      const rows = await connection.query<{ taken: boolean }>({ text, values: [String(key)] });
      return rows[0]?.taken === true;
    },
    line: {
      query: (statement) => connection.lend((client) => queryOnce(only(client), prepare(spoken, statement))),
      transaction: (work) => connection.lend((client) => runTransaction(only(client), spoken, work)),
    },
    onLost(tell) {
      if (connection.lost) queueMicrotask(tell);
      else lost.push(tell);
    },
    async close() {
      sessions.delete(session);
      await connection.close();
    },
  };
  sessions.add(session);
  return session;
}
