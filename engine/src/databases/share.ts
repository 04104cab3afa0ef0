import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { endedError, type Queryable } from "../store/database.ts";
import { type Frames, makeFrames } from "./frames.ts";
import { refuseForeign } from "./own-folder.ts";
import type { EmbeddedDatabase } from "./pglite.ts";
import { type Asked, packError, shareUpgrade, type Told, unpackStatement } from "./share-protocol.ts";

/** Shares an embedded database with other processes of the same user. */
export interface Sharing {
  readonly url: string;
  /** For requests of other kinds on the same address. */
  readonly server: Server;
  readonly token: string;
  close(): Promise<void>;
}

/**
 * Only one process can open an embedded database. This process serves other processes: on the loopback address, for
 * every holder of the token in the folder, who could open the folder too. The folder's lock contains the address.
 */
export async function shareDatabase(
  db: EmbeddedDatabase,
  { port = 0, host = "127.0.0.1" }: { port?: number; host?: string } = {},
): Promise<Sharing | null> {
  if (!db.lock) return null;
  const token = await readToken(db.lock.folder);
  const server = createServer();
  const sockets = new Set<Duplex>();
  server.on("upgrade", (request, socket, head) => {
    if (request.headers.upgrade !== shareUpgrade || !mayEnter(request, token)) {
      socket.end("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n");
      return;
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${shareUpgrade}\r\n\r\n`,
    );
    if (head.length > 0) socket.unshift(head);
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serve(socket, db);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  // An otherwise idle process may end.
  server.unref();
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  await db.lock.update({ address: url });
  return {
    url,
    server,
    token,
    async close() {
      await db.lock?.update({ address: null });
      const closed = new Promise((resolve) => server.close(resolve));
      // Clients in the middle of a read may finish.
      const patience = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, lastLookMs);
      await closed;
      clearTimeout(patience);
    },
  };
}

/** Time for connected clients to finish at closing. */
const lastLookMs = 3_000;

/** The token of a folder, created on first use; readable by its owner alone. */
export async function readToken(folder: string): Promise<string> {
  const path = join(folder, "token");
  try {
    const file = await open(path, "wx", 0o600);
    const token = randomBytes(32).toString("hex");
    await file.writeFile(token).finally(() => file.close());
    return token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    await refuseForeign(path, { secret: true });
    return (await readFile(path, "utf8")).trim();
  }
}

/** True if a request carries the token, and does not come from a foreign web page. */
export function mayEnter(request: IncomingMessage, token: string): boolean {
  const { authorization = "", origin, host } = request.headers;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));
}

/** A client's open transaction. */
interface Open extends Queryable {
  end(commit: boolean): void;
}

/** Limit of silence within a transaction: a silent client blocks everything else. */
const silenceMs = 30_000;

class RolledBack extends Error {}

/** Serves one client until disconnection; uncommitted work is rolled back. */
function serve(socket: Duplex, db: EmbeddedDatabase): void {
  const transactions = new Map<number, Open>();
  const channels = new Map<string, () => Promise<void>>();
  const tell = (told: Told) => void (socket.writable && frames.send(told));
  const answer = (id: number, rows: readonly object[] = []) => tell({ kind: "answer", id, rows });
  const failed = (id: number, error: unknown) => tell({ kind: "failed", id, error: packError(error) });

  function ask(asked: Asked): void {
    if (asked.kind === "begin") begin(asked.id);
    else if (asked.kind === "commit" || asked.kind === "rollback") endTransaction(asked);
    else
      void act(asked)
        .then((rows) => answer(asked.id, rows))
        .catch((error: unknown) => failed(asked.id, error));
  }
  async function act(asked: Exclude<Asked, { kind: "begin" | "commit" | "rollback" }>): Promise<object[]> {
    switch (asked.kind) {
      case "query":
        return await db.query(unpackStatement(asked.statement));
      case "script":
        await db.script(asked.text);
        return [];
      case "listen": {
        const { channel } = asked;
        if (channels.has(channel)) return [];
        channels.set(
          channel,
          await db.listen(channel, (payload) => tell({ kind: "heard", channel, payload })),
        );
        return [];
      }
      case "unlisten":
        await channels.get(asked.channel)?.();
        channels.delete(asked.channel);
        return [];
      case "statement": {
        const open = transactions.get(asked.tx);
        if (!open) throw endedError();
        return await open.query(unpackStatement(asked.statement));
      }
    }
  }
  function begin(id: number): void {
    const done = db.transaction((tx) =>
      holdOpen(
        tx,
        (open) => void transactions.set(id, open),
        () => answer(id),
      ),
    );
    ended.set(id, done);
    void done.catch(() => undefined).finally(() => transactions.delete(id));
  }
  const ended = new Map<number, Promise<void>>();
  function endTransaction({ id, tx, kind }: Asked & { kind: "commit" | "rollback" }): void {
    const done = ended.get(tx);
    ended.delete(tx);
    transactions.get(tx)?.end(kind === "commit");
    void (done ?? Promise.resolve()).then(
      () => answer(id),
      (error: unknown) => (error instanceof RolledBack ? answer(id) : failed(id, error)),
    );
  }
  const frames: Frames = makeFrames(socket, {
    onValue: (value) => ask(value as Asked),
    onEnd() {
      socket.end();
      for (const open of transactions.values()) open.end(false);
      for (const leave of channels.values()) void leave().catch(() => undefined);
    },
  });
  tell({ kind: "hello", schema: db.schema, place: db.place });
}

/** Keeps a transaction open until its client ends it, disconnects, or falls silent. */
function holdOpen(tx: Queryable, opened: (open: Open) => void, begun: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const silent = () => reject(new Error(`Nothing came for ${silenceMs / 1_000} s within a transaction.`));
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(silent, silenceMs);
    };
    opened({
      query(statement) {
        wait();
        return tx.query(statement);
      },
      end(commit) {
        clearTimeout(timer);
        if (commit) resolve();
        else reject(new RolledBack("The client rolled back, or went."));
      },
    });
    wait();
    begun();
  });
}
