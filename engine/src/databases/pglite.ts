import type { Database, Queryable, Session } from "../store/database.ts";
import { asCommitUnknown, closedError, endedError, rolledBackAnyway } from "../store/database.ts";
import type { PlacedText, Statement } from "../store/sql.ts";
import { placeIn, preparedName, quoted } from "../store/sql.ts";
import { makeChannels } from "./channels.ts";
import { encodeValue } from "./encode.ts";
import type { FolderLock } from "./folder-lock.ts";
import { openData } from "./pglite-folder.ts";
import type { Link } from "./pglite-link.ts";
import { startUpkeep } from "./pglite-upkeep.ts";
import type { Answer } from "./wire.ts";
import { readAnswer, writeCall, writeScript } from "./wire.ts";

export interface PgliteOptions {
  /** Folder of the database; null: in memory, gone with the process. */
  readonly folder: string | null;
  readonly schema?: string;
  /** Runs PGlite in this thread, which blocks during each statement and must close the database to end: for tests. */
  readonly inline?: boolean;
}

export interface EmbeddedDatabase extends Database {
  readonly kind: "pglite";
  /** The lock of the folder, with published information for other processes; null in memory. */
  readonly lock: FolderLock | null;
}

export const pgliteDefaults = { schema: "headway", inline: false } as const;

/** Time for running transactions to finish in `close`, before the cut. */
const closeMs = 5_000;

/** Opens the embedded PostgreSQL. All callers share one session, so transactions run one after another. */
export async function openPglite(options: PgliteOptions): Promise<EmbeddedDatabase> {
  const { folder, schema, inline } = { ...pgliteDefaults, ...options };
  const place = placeIn(schema);
  const { link, lock } = await openData({ folder, inline });
  const talk = makeTalk(link, place);
  const gate = makeGate();
  let closing: Promise<void> | undefined;

  const enter = <T>(start: () => Promise<T>): Promise<T> =>
    closing ? Promise.reject(closedError()) : gate.pass(start);

  const query = <Row extends object>(statement: Statement): Promise<Row[]> =>
    enter(() => talk.query<Row>(statement, { begin: false }).catch(rethrowUnknown));
  const upkeep = startUpkeep({ query });

  async function close(): Promise<void> {
    upkeep.stop();
    // A transaction waiting for something else than the database is abandoned.
    const late = timeLimit(closeMs);
    await Promise.race([gate.hold(() => link.close()).catch(() => {}), late.over]);
    late.cancel();
    link.giveUp("it was closed");
    await lock?.release();
  }

  return {
    kind: "pglite",
    place: lock?.folder ?? "memory",
    lock,
    schema,
    query,
    transaction: (work) =>
      closing ? Promise.reject(closedError()) : gate.hold(() => runTransaction(talk, work)),
    script: (text) => enter(async () => void (await talk.script(place(text).text).catch(rethrowUnknown))),
    listen: makeListen(talk, enter),
    session: () => enter(async () => openSession(link)),
    close: () => (closing ??= close()),
  };
}

function timeLimit(ms: number) {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { over, cancel: () => clearTimeout(timer) };
}

/** For a failed statement outside of a transaction: the commit may have happened without an answer. */
const rethrowUnknown = (error: unknown): never => {
  throw asCommitUnknown(error);
};

/** Lets single statements through at once, transactions one by one, in order of arrival. */
function makeGate() {
  const waiting: { readonly alone: boolean; enter(): void }[] = [];
  let held = false;
  const admit = (): void => {
    while (!held) {
      const next = waiting.shift();
      if (!next) return;
      held = next.alone;
      next.enter();
    }
  };
  const queue = <T>(alone: boolean, start: () => Promise<T>): Promise<T> =>
    new Promise((resolve) => waiting.push({ alone, enter: () => resolve(start()) }));
  return {
    /** `start` has to send its statement before its first await. */
    pass: <T>(start: () => Promise<T>): Promise<T> => (held ? queue(false, start) : start()),
    hold: async <T>(start: () => Promise<T>): Promise<T> => {
      try {
        if (held) return await queue(true, start);
        held = true;
        return await start();
      } finally {
        held = false;
        admit();
      }
    },
  };
}

interface Talk {
  query<Row extends object>(statement: Statement, how: { begin: boolean }): Promise<Row[]>;
  script(text: string): Promise<Answer>;
  hear(channel: string, payload: string): void;
}

/** Sends statements, prepares the hot statements, passes notifications on. */
function makeTalk(link: Link, place: (text: string) => PlacedText): Talk {
  const known = makePreparedNames();
  const talk = { query, script, hear: (_channel: string, _payload: string): void => {} };

  async function exchange(message: Uint8Array<ArrayBuffer>): Promise<Answer> {
    const answer = readAnswer(await link.exchange(message));
    for (const { channel, payload } of answer.notifications)
      queueMicrotask(() => talk.hear(channel, payload));
    if (!answer.ready) link.giveUp("it broke off in the middle of an answer");
    if (!answer.ready) throw link.lost;
    return answer;
  }

  async function query<Row extends object>(
    statement: Statement,
    { begin }: { begin: boolean },
  ): Promise<Row[]> {
    const { text, hash } = place(statement.text);
    const values = statement.values.map(encodeValue);
    const prepared =
      statement.name === undefined ? unprepared : known.take(preparedName(statement.name, hash));
    const { name, parse } = prepared;
    let answer: Answer | undefined;
    try {
      answer = await exchange(writeCall({ text, values, name, parse, begin }));
    } finally {
      prepared.settle(answer, begin ? 2 : 1);
    }
    if (answer.error) throw answer.error;
    return answer.rows as Row[];
  }

  async function script(text: string): Promise<Answer> {
    const answer = await exchange(writeScript(text));
    if (answer.error) throw answer.error;
    return answer;
  }

  return talk;
}

interface PreparedName {
  /** "" during another caller's first use. */
  readonly name: string;
  readonly parse: boolean;
  settle(answer: Answer | undefined, parsedExpected: number): void;
}

const unprepared: PreparedName = { name: "", parse: true, settle: () => {} };

/** Tracks the statements prepared in the session. */
function makePreparedNames() {
  const states = new Map<string, "parsing" | "ready">();
  const renamed = new Map<string, string>();
  let stale = 0;

  return {
    take(wanted: string): PreparedName {
      const name = renamed.get(wanted) ?? wanted;
      const state = states.get(name);
      if (state === "parsing") return unprepared;
      if (state === undefined) states.set(name, "parsing");
      return {
        name,
        parse: state === undefined,
        settle(answer, parsedExpected) {
          if (state === undefined) {
            if (answer && answer.parsed >= parsedExpected) states.set(name, "ready");
            else states.delete(name);
          }
          // The table has changed since; the statement is parsed again under another name.
          if ((answer?.error as { code?: string } | undefined)?.code !== "0A000") return;
          stale += 1;
          renamed.set(wanted, `${stale}_${wanted}`.slice(0, 63));
        },
      };
    },
  };
}

/** `begin` travels with the first statement; a transaction without statements sends nothing. */
async function runTransaction<T>(talk: Talk, work: (tx: Queryable) => Promise<T>): Promise<T> {
  let begun = false;
  let ended = false;
  let failure: unknown;
  const running = new Set<Promise<unknown>>();
  const tx: Queryable = {
    async query<Row extends object>(statement: Statement): Promise<Row[]> {
      if (ended) throw endedError();
      const answer = talk.query<Row>(statement, { begin: !begun });
      begun = true;
      running.add(answer);
      try {
        return await answer;
      } catch (error) {
        failure ??= error;
        throw error;
      } finally {
        running.delete(answer);
      }
    },
  };
  const end = async (): Promise<void> => {
    ended = true;
    await Promise.allSettled(running);
  };
  try {
    const result = await work(tx);
    await end();
    if (!begun) return result;
    const { command } = await talk.script("commit").catch(rethrowUnknown);
    begun = false;
    // PostgreSQL answers ROLLBACK, and no error, to the commit of a transaction with a failed statement.
    if (command !== "COMMIT") throw rolledBackAnyway(failure);
    return result;
  } catch (error) {
    await end();
    // A failing rollback does not matter: the database is gone then, and the transaction with it.
    if (begun) await talk.script("rollback").catch(() => {});
    throw error;
  }
}

function makeListen(talk: Talk, enter: <T>(start: () => Promise<T>) => Promise<T>): Database["listen"] {
  const channels = makeChannels();
  talk.hear = channels.hear;
  return async (channel, heard) => {
    const leave = channels.add(channel, heard);
    await enter(() => talk.script(`listen ${quoted(channel)}`));
    return async () => {
      // A failing unlisten does not matter: the session is gone.
      if (leave()) await enter(() => talk.script(`unlisten ${quoted(channel)}`)).catch(() => {});
    };
  };
}

/**
 * One process and one session, with all other processes excluded by the folder's lock: an advisory lock is always
 * free.
 */
function openSession(link: Link): Session {
  let closed = false;
  return {
    get alive() {
      return !closed && link.lost === undefined;
    },
    async lock() {
      if (link.lost) throw link.lost;
      return true;
    },
    onLost: (tell) => link.onLost(() => !closed && tell()),
    async close() {
      closed = true;
    },
  };
}
