import { statfsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { closedError } from "../store/database.ts";
import { compilePglite, type PgliteCode } from "./pglite-module.ts";

/** Start parameters of PGlite; see `pglite-thread.mjs`. */
export interface Start {
  /** The data directory; null keeps everything in memory. */
  readonly folder: string | null;
  /** A tar of a fresh data directory to start from. */
  readonly template: Uint8Array<ArrayBuffer> | null;
}

/** PGlite as a function from bytes to bytes, in a separate thread or in this thread. */
export interface Link {
  /** Answers come in the order of the messages. The message's memory is transferred. */
  exchange(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
  /** A tar of the data directory. */
  dump(): Promise<Uint8Array<ArrayBuffer>>;
  /** Set after the database is lost. */
  readonly lost: Error | undefined;
  onLost(tell: () => void): void;
  /** Gives the database up: all calls fail from now on, with a connection error. */
  giveUp(reason: string): void;
  close(): Promise<void>;
}

type Engine = Pick<Link, "exchange" | "dump" | "close">;

const threadUrl = new URL("./pglite-thread.mjs", import.meta.url);

/** Every statement blocks its thread, so PGlite has a separate thread: timers and requests here go on meanwhile. */
export async function openThread(start: Start): Promise<Link> {
  const worker = new Worker(threadUrl, {
    name: "headway-pglite",
    workerData: { headwayPglite: { ...start, code: await compilePglite() } },
    transferList: start.template ? [start.template.buffer] : [],
    // No loaders or inspectors: the thread reads plain JavaScript only.
    execArgv: [],
  });
  const calls = makeCalls(worker);
  const loss = makeLoss(start.folder, (error) => {
    calls.failAll(error);
    void worker.terminate();
  });
  worker.on("error", (error) => loss.lose(`its thread failed: ${String(error?.message ?? error)}`));
  worker.on("exit", (code) => loss.lose(`its thread ended with exit code ${code}`));
  await calls.expect(0);

  const call = <T>(request: object, transfer: ArrayBuffer[] = []): Promise<T> =>
    loss.lost ? Promise.reject(loss.lost) : calls.send<T>(request, transfer);
  return {
    exchange: (message) => call({ method: "exchange", message }, [message.buffer]),
    dump: () => call({ method: "dump" }),
    get lost() {
      return loss.lost;
    },
    onLost: loss.onLost,
    giveUp: loss.lose,
    async close() {
      await call({ method: "close" });
      loss.end();
      await worker.terminate();
    },
  };
}

/** For tests: no thread to start and no messages between threads, but this thread blocks during each statement. */
export async function openInline(start: Start): Promise<Link> {
  const { startEngine } = (await import(threadUrl.href)) as {
    startEngine(start: Start & { code: PgliteCode }): Promise<Engine>;
  };
  const engine = await startEngine({ ...start, code: await compilePglite() });
  const loss = makeLoss(start.folder, () => {});
  return {
    exchange: (message) => (loss.lost ? Promise.reject(loss.lost) : engine.exchange(message)),
    dump: () => engine.dump(),
    get lost() {
      return loss.lost;
    },
    onLost: loss.onLost,
    giveUp: loss.lose,
    async close() {
      if (loss.lost) return;
      loss.end();
      await engine.close();
    },
  };
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Numbers the calls to a thread and matches the replies; a pending call keeps the process alive. */
function makeCalls(worker: Worker) {
  const pending = new Map<number, Pending>();
  let count = 0;
  const expect = <T>(id: number): Promise<T> => {
    if (pending.size === 0) worker.ref();
    return new Promise<T>((resolve, reject) =>
      pending.set(id, { resolve: resolve as Pending["resolve"], reject }),
    );
  };
  worker.on("message", ({ id, result, error }: Reply) => {
    const call = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) worker.unref();
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error));
  });
  return {
    expect,
    send<T>(request: object, transfer: ArrayBuffer[]): Promise<T> {
      count += 1;
      worker.postMessage({ ...request, id: count }, transfer);
      return expect<T>(count);
    },
    failAll(error: Error): void {
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
      worker.unref();
    },
  };
}

/** PGlite takes room for its log 16 MB at a time, and breaks off where there is none. */
const roomBytes = 32 << 20;

function diskText(folder: string | null): string {
  if (folder === null) return "";
  try {
    const { bavail, bsize } = statfsSync(folder);
    const left = bavail * bsize;
    if (left >= roomBytes) return "";
    return ` Its disk is full (${Math.floor(left / 2 ** 20)} MB left, 32 needed): make room, and run it again.`;
  } catch {
    return "";
  }
}

/** Records the loss of the database, and notifies all listeners once. */
function makeLoss(folder: string | null, onLoss: (error: Error) => void) {
  const listeners: (() => void)[] = [];
  let lost: Error | undefined;
  const lose = (reason: string): void => {
    if (lost) return;
    // 08006 is SQL's code for a connection failure.
    lost = Object.assign(new Error(`The embedded database is gone: ${reason}.${diskText(folder)}`), {
      code: "08006",
      gone: "thread",
    });
    onLoss(lost);
    for (const tell of listeners.splice(0)) tell();
  };
  return {
    get lost() {
      return lost;
    },
    lose,
    /** Ended on purpose, which is no loss. */
    end(): void {
      lost ??= closedError();
    },
    onLost: (tell: () => void): void => void (lost ? queueMicrotask(tell) : listeners.push(tell)),
  };
}
