import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import {
  asCommitUnknown,
  closedError,
  type Database,
  endedError,
  type Queryable,
} from "../store/database.ts";
import type { Runnable } from "../store/sql.ts";
import { makeChannels } from "./channels.ts";
import type { FolderHolder } from "./folder-lock.ts";
import { type Frames, makeFrames } from "./frames.ts";
import { lastBeat, readPulse, tellSilence } from "./owner-pulse.ts";
import { type Asked, packStatement, shareUpgrade, type Told, unpackError } from "./share-protocol.ts";

/** An embedded database opened by another process, over a socket. */
export interface RemoteDatabase extends Database {
  readonly kind: "pglite";
  /** Shared with other processes: a new connection proves no worker dead. */
  readonly remote: true;
  /** The process behind the door: whoever lets us in is alive, however late its heart beats. */
  readonly owner: { readonly pid: number; readonly host: string };
}

/** Null: the owner shares nothing. */
export async function openRemote(folder: string, holder: FolderHolder): Promise<RemoteDatabase | null> {
  const { address } = holder.info;
  if (typeof address !== "string") return null;
  const token = await readFile(join(folder, "token"), "utf8");
  const { pid, host } = holder;
  const before = await readPulse(pid);
  const hung = async () => {
    const [since, after] = await Promise.all([lastBeat(folder), readPulse(pid)]);
    return new Error(tellSilence({ pid, folder, since, before, after, overMs: answerMs }));
  };
  return await talkThrough(await connect(address, token.trim(), hung), { pid, host });
}

/** The owner may be busy, but a stopped or looping owner must not block clients for ever. */
const answerMs = 20_000;

function connect(address: string, token: string, hung: () => Promise<Error>): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const asking = request(address, {
      headers: { connection: "Upgrade", upgrade: shareUpgrade, authorization: `Bearer ${token}` },
    });
    const patience = setTimeout(async () => asking.destroy(await hung()), answerMs);
    asking.on("close", () => clearTimeout(patience));
    asking.on("upgrade", (_, socket, head) => {
      clearTimeout(patience);
      // The first bytes may have come along with the answer.
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asking.on("response", ({ statusCode }) =>
      reject(
        new Error(`The process that has the database open refused us (${statusCode}): is the token its own?`),
      ),
    );
    asking.on("error", reject);
    asking.end();
  });
}

interface Waiting {
  resolve(rows: readonly object[]): void;
  reject(error: unknown): void;
}

function talkThrough(socket: Duplex, owner: RemoteDatabase["owner"]): Promise<RemoteDatabase> {
  return new Promise((resolve, reject) => {
    const waiting = new Map<number, Waiting>();
    const channels = makeChannels();
    const lostListeners: (() => void)[] = [];
    let lost: Error | undefined;
    let next = 0;
    const frames: Frames = makeFrames(socket, {
      onValue(value) {
        const told = value as Told;
        if (told.kind === "hello") return resolve({ ...makeRemote(told, line), owner });
        if (told.kind === "heard") return channels.hear(told.channel, told.payload);
        const one = waiting.get(told.id);
        waiting.delete(told.id);
        if (told.kind === "answer") one?.resolve(told.rows);
        else one?.reject(unpackError(told.error));
      },
      onEnd() {
        lost = goneError();
        reject(lost);
        for (const one of waiting.values()) one.reject(lost);
        for (const tell of lostListeners.splice(0)) tell();
      },
    });
    const line: Line = {
      channels,
      get lost() {
        return lost;
      },
      onLost: (tell) => void lostListeners.push(tell),
      ask: (asked) =>
        new Promise((answered, failed) => {
          if (lost) return failed(lost);
          next += 1;
          waiting.set(next, { resolve: answered, reject: failed });
          frames.send({ ...asked, id: next });
          return undefined;
        }),
      begin: async () => {
        const id = next + 1;
        await line.ask({ kind: "begin" });
        return id;
      },
      end: () => frames.end(),
      idle: () => Promise.allSettled([...waiting.values()].map((one) => settled(one))),
    };
  });
}

/** Resolves at the answer, success or failure. */
const settled = (one: Waiting): Promise<void> =>
  new Promise((resolve) => {
    const { resolve: was, reject: failed } = one;
    one.resolve = (rows) => {
      was(rows);
      resolve();
    };
    one.reject = (error) => {
      failed(error);
      resolve();
    };
  });

type Question = Asked extends infer One ? (One extends Asked ? Omit<One, "id"> : never) : never;

interface Line {
  readonly channels: ReturnType<typeof makeChannels>;
  readonly lost: Error | undefined;
  onLost(tell: () => void): void;
  ask(asked: Question): Promise<readonly object[]>;
  /** Begins a transaction and returns its number. */
  begin(): Promise<number>;
  end(): void;
  idle(): Promise<unknown>;
}

const goneError = (): Error =>
  Object.assign(new Error("Connection terminated: the process that has the database open has ended."), {
    code: "08006",
    gone: "owner",
  });

function makeRemote({ schema, place }: Told & { kind: "hello" }, line: Line): Omit<RemoteDatabase, "owner"> {
  let closing: Promise<void> | undefined;
  const enter = <T>(work: () => Promise<T>): Promise<T> => (closing ? Promise.reject(closedError()) : work());
  const unknown = (error: unknown): never => {
    throw asCommitUnknown(error);
  };
  return {
    kind: "pglite",
    remote: true,
    place,
    schema,
    query: <Row extends object>(statement: Runnable) =>
      enter(
        () =>
          line.ask({ kind: "query", statement: packStatement(statement) }).catch(unknown) as Promise<Row[]>,
      ),
    script: (text) => enter(async () => void (await line.ask({ kind: "script", text }).catch(unknown))),
    transaction: (work) => enter(() => runTransaction(line, work)),
    async listen(channel, heard) {
      return await enter(async () => {
        const leave = line.channels.add(channel, heard);
        await line.ask({ kind: "listen", channel });
        return async () => {
          if (leave()) await line.ask({ kind: "unlisten", channel }).catch(() => undefined);
        };
      });
    },
    session: () =>
      enter(async () => {
        let closed = false;
        return {
          get alive() {
            return !closed && !line.lost;
          },
          async lock() {
            if (line.lost) throw line.lost;
            return true;
          },
          onLost: (tell) => line.onLost(() => !closed && tell()),
          async close() {
            closed = true;
          },
        };
      }),
    close: () => (closing ??= line.idle().then(() => line.end())),
  };
}

async function runTransaction<T>(line: Line, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const tx = await line.begin();
  const running = new Set<Promise<unknown>>();
  let ended = false;
  const queryable: Queryable = {
    async query<Row extends object>(statement: Runnable): Promise<Row[]> {
      if (ended) throw endedError();
      const asked = line.ask({ kind: "statement", tx, statement: packStatement(statement) });
      running.add(asked);
      try {
        return (await asked) as Row[];
      } finally {
        running.delete(asked);
      }
    },
  };
  const end = async () => {
    ended = true;
    await Promise.allSettled(running);
  };
  try {
    const result = await work(queryable);
    await end();
    await line.ask({ kind: "commit", tx }).catch((error: unknown) => {
      throw asCommitUnknown(error);
    });
    return result;
  } catch (error) {
    await end();
    await line.ask({ kind: "rollback", tx }).catch(() => undefined);
    throw error;
  }
}
