import pg from "pg";
import { isConnectionError, sessionPrefix } from "../store/database.ts";
import { quoted } from "../store/sql.ts";
import { makeChannels } from "./channels.ts";
import { parserOf } from "./decode.ts";

/** Address of a PostgreSQL with credentials. The password is in `config` only. */
export interface Address {
  readonly place: string;
  readonly config: pg.ClientConfig;
  readonly user: string;
  readonly database: string;
  readonly pooler: Pooler | null;
  /** Removes the password from a message. */
  hide(message: string): string;
}

/**
 * Pooler in front of the server, declared in the URL (`?pooler=transaction`). "transaction": a server session is lent
 * for one transaction, so no state may outlive the transaction. "session": lent for the whole connection.
 */
export type Pooler = "transaction" | "session";

const connectMs = 10_000;
const keepAliveMs = 10_000;

/** Reads the address from a URL; missing parts come from the PG… environment variables. */
export function readAddress(options: { url: string; applicationName: string }): Address {
  const pooler = poolerOf(options.url);
  const config: pg.ClientConfig = {
    connectionString: options.url.replace(
      namedInUrl,
      (_, before, name) => `${before}${encodeURIComponent(sessionName(decodeURIComponent(name)))}`,
    ),
    application_name: sessionName(options.applicationName),
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    // Our own parsers for our own connections: other users of `pg` in this process keep theirs.
    types: { getTypeParser: (oid: number) => parserOf(oid) } as pg.CustomTypesConfig,
  };
  let client: pg.Client;
  try {
    if (!/^postgres(ql)?:/.test(options.url)) throw new Error("not a postgres URL");
    client = new pg.Client(config);
  } catch {
    // The reason is omitted on purpose: it may quote the URL with the password.
    throw new Error("The database URL cannot be read; expected postgres://user:password@host:port/database.");
  }
  const { user = "", database = "", host, port } = client;
  const secrets = secretsOf(client.password, options.url);
  return {
    config,
    user,
    database,
    pooler,
    place: host.startsWith("/")
      ? `postgres://${user}@/${database}?host=${host}&port=${port}`
      : `postgres://${user}@${host}:${port}/${database}`,
    hide: (message) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "…"), message),
  };
}

const namedInUrl = /([?&]application_name=)([^&#]*)/;

/** Sessions of Headway begin with this word, so that nobody else's are ended (`endFrozenSessions`). */
const sessionName = (name: string): string =>
  name.startsWith(sessionPrefix) ? name : `${sessionPrefix} ${name}`;

function poolerOf(url: string): Pooler | null {
  const named = /[?&]pooler=([^&#]*)/.exec(url)?.[1];
  if (named === undefined || named === "transaction" || named === "session") return named ?? null;
  throw new Error(`The database URL says pooler=${named}: write pooler=transaction or pooler=session.`);
}

/** Error for an undeclared pooler. */
export const poolerUntold = ({ place }: Address): Error =>
  new Error(
    `${place} is a pooler: add "pooler=transaction" to the parameters of the database URL, or "pooler=session" if it lends whole sessions.`,
  );

function secretsOf(password: unknown, url: string): readonly string[] {
  if (typeof password !== "string" || password === "") return [];
  return [url, encodeURIComponent(password), password];
}

/** One sentence on why the database cannot be used: user, place, advice. */
export function setupError(error: unknown, address: Address): Error {
  const { code, message } = error as { code?: string; message?: string };
  const { place, user, database } = address;
  // A server knows all parameters sent here; PgBouncer refuses parameters outside its own list.
  if (code === "08P01" && /startup parameter/.test(String(message))) return poolerUntold(address);
  const reason = address.hide(String(message || code));
  const sentence = ((): string => {
    if (code?.startsWith("28") || /password/i.test(reason))
      return `${place} refuses the user "${user}" (${reason}): check user and password.`;
    if (code === "3D000") return `${place} has no database "${database}": create it or correct the URL.`;
    if (code === "53300")
      return `${place} has no connection left (${reason}): raise its max_connections or close others.`;
    return `${place} cannot be reached (${reason}): is it running, and may this machine connect to it?`;
  })();
  // 08001 is SQL's code for failing to establish a connection.
  return Object.assign(new Error(sentence), { code: code ?? "08001" });
}

/** The pool replaces connections broken while idle, so their errors are ignored. */
export function poolOf(address: Address, { max, frozenMs }: { max: number; frozenMs: number }): pg.Pool {
  // The pool would apply this limit to waiting for a free connection too, and a busy pool is not an unreachable
  // server.
  const Client = function makeClient(config: pg.ClientConfig): pg.Client {
    return quiet(new pg.Client({ ...config, connectionTimeoutMillis: connectMs }));
  } as unknown as typeof pg.Client;
  const pool = new pg.Pool({
    ...address.config,
    connectionTimeoutMillis: 0,
    // A process frozen in the middle of a transaction must not block the workers that take over. Behind a transaction
    // pooler the limit is set in each transaction instead.
    ...(address.pooler === "transaction" ? {} : { idle_in_transaction_session_timeout: frozenMs }),
    max,
    Client,
  } as pg.PoolConfig);
  pool.on("error", () => {});
  return address.pooler === "transaction" ? pool : pool.on("connect", endWithUs);
}

/**
 * A statement waiting for a lock does not notice its client's death, and keeps earlier locks. Servers on some systems
 * cannot check; there the statement ends when the lock is granted.
 */
const endWithUs = (client: pg.PoolClient): void =>
  void client.query(`${neverCompile}; set client_connection_check_interval = '250ms'`).catch(() => {});

/** Compiling takes longer than any statement here gains by it. */
const neverCompile = "set jit = off";

/**
 * A connection broken between two statements fails at the next statement; an unhandled event would end the process.
 */
const quiet = (client: pg.Client): pg.Client => client.on("error", () => {});

/** A watched connection outside of the pool: a loss is noticed even while unused. */
export interface Connection {
  readonly alive: boolean;
  readonly lost: boolean;
  query<Row extends object>(query: pg.QueryConfig): Promise<Row[]>;
  /** Reserves the connection until `work` has ended. */
  lend<T>(work: (client: pg.Client) => Promise<T>): Promise<T>;
  onNotification(heard: (channel: string, payload: string) => void): void;
  close(): Promise<void>;
}

/** A silently vanished peer (power cut, pulled cable) is noticed after at most the sum of both. */
const probe = { everyMs: 5_000, answerMs: 10_000 } as const;
const endMs = 2_000;

export async function openConnection(
  address: Address,
  lost: () => void,
  more: pg.ClientConfig = {},
): Promise<Connection> {
  const client = quiet(new pg.Client({ ...address.config, ...more }));
  try {
    await client.connect();
  } catch (error) {
    throw setupError(error, address);
  }
  let state: "alive" | "closed" | "lost" = "alive";
  let last: Promise<unknown> = Promise.resolve();
  const lose = (): void => {
    if (state !== "alive") return;
    state = "lost";
    clearInterval(probing);
    client.end().catch(() => {});
    lost();
  };
  const lend = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const running = last.then(() => work(client));
    last = running.catch((error) => {
      if (isConnectionError(error)) lose();
    });
    return running;
  };
  const query = async <Row extends object>(config: pg.QueryConfig): Promise<Row[]> =>
    (await lend((client) => client.query<Row>(config))).rows;
  const probing = setInterval(() => {
    const late = setTimeout(lose, probe.answerMs).unref();
    query({ text: "select 1" })
      .catch(() => {})
      .finally(() => clearTimeout(late));
  }, probe.everyMs).unref();
  client.on("error", lose).on("end", lose);
  return {
    get alive() {
      return state === "alive";
    },
    get lost() {
      return state === "lost";
    },
    query,
    lend,
    onNotification: (heard) =>
      void client.on("notification", (message) => heard(message.channel, message.payload ?? "")),
    async close() {
      if (state === "lost") return;
      state = "closed";
      clearInterval(probing);
      await Promise.race([client.end(), pause(endMs)]);
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

export interface Listener {
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const backoff = { firstMs: 100, mostMs: 5_000 } as const;

/** One connection listens for all callers, from the first `listen` on; after a loss it is reopened, for ever. */
export function openListener(address: Address): Listener {
  const channels = makeChannels();
  let connecting: Promise<Connection | undefined> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let waitMs: number = backoff.firstMs;
  let closed = false;

  const again = (): void => {
    connecting = undefined;
    if (closed) return;
    clearTimeout(retry);
    retry = setTimeout(() => void connected(), waitMs * (0.5 + Math.random() / 2)).unref();
    waitMs = Math.min(waitMs * 2, backoff.mostMs);
  };
  const connect = async (): Promise<Connection | undefined> => {
    let connection: Connection | undefined;
    try {
      connection = await openConnection(address, again);
      connection.onNotification(channels.hear);
      for (const channel of channels.names) await connection.query({ text: `listen ${quoted(channel)}` });
      waitMs = backoff.firstMs;
      return connection;
    } catch {
      await connection?.close();
      again();
      return undefined;
    }
  };
  const connected = (): Promise<Connection | undefined> => {
    connecting ??= connect();
    return connecting;
  };
  const say = async (command: "listen" | "unlisten", channel: string): Promise<void> => {
    const connection = await connected();
    // Without a connection there is nothing to do: the next connection listens to all of `channels`.
    await connection?.query({ text: `${command} ${quoted(channel)}` }).catch(() => {});
  };

  return {
    async listen(channel, heard) {
      const leave = channels.add(channel, heard);
      await say("listen", channel);
      return async () => {
        if (leave() && !closed) await say("unlisten", channel);
      };
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      channels.clear();
      await (await connecting)?.close();
    },
  };
}
