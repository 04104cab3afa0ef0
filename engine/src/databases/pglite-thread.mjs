// @ts-check
// PGlite behind two functions, in a worker thread or in the caller's own. Plain JavaScript, because a worker thread
// starts without the loader that reads TypeScript. All it does is carry bytes: writing messages and reading answers
// happens in the caller's thread, which is faster than copying rows between threads as objects.
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";

/**
 * @typedef {object} Start
 * @property {string | null} folder The data directory; null keeps everything in memory.
 * @property {Uint8Array<ArrayBuffer> | null} template A tar of a fresh data directory to start from.
 * @property {object} code PGlite itself, compiled.
 */

/**
 * @typedef {object} Engine
 * @property {(message: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>} exchange
 * @property {() => Promise<Uint8Array<ArrayBuffer>>} dump A tar of the data directory.
 * @property {() => Promise<void>} close
 */

/**
 * @param {Start} start
 * @returns {Promise<Engine>}
 */
export async function startEngine({ folder, template, code }) {
  const pglite = await PGlite.create({
    dataDir: folder === null ? "memory://" : `file://${folder}`,
    extensions: { vector },
    pgliteWasmModule: code,
    ...(template === null ? {} : { loadDataDir: new Blob([template]) }),
  });
  return {
    async exchange(message) {
      /** @type {Uint8Array<ArrayBuffer>[]} */
      const chunks = [];
      let length = 0;
      // Not `execProtocolRaw`: it parses all answers a second time and keeps them for ever.
      await pglite.execProtocolRawStream(message, {
        syncToFs: false, // Does nothing on a disk, and nothing in memory.
        onRawData(chunk) {
          chunks.push(chunk.slice());
          length += chunk.length;
        },
      });
      if (chunks.length === 1 && chunks[0]) return chunks[0];
      const answer = new Uint8Array(length);
      let at = 0;
      for (const chunk of chunks) {
        answer.set(chunk, at);
        at += chunk.length;
      }
      return answer;
    },
    async dump() {
      const file = await pglite.dumpDataDir("none");
      return new Uint8Array(await file.arrayBuffer());
    },
    close: () => pglite.close(),
  };
}

/**
 * @typedef {{ id: number, method: "exchange", message: Uint8Array } | { id: number, method: "dump" | "close" }} Request
 */

/** @param {import("node:worker_threads").MessagePort} port */
async function serve(port) {
  const engine = await startEngine(workerData.headwayPglite);
  /** @type {Promise<void>} One after another, in the order in which they came. */
  let last = Promise.resolve();
  port.on("message", (/** @type {Request} */ request) => {
    last = last.then(async () => {
      const { id } = request;
      try {
        const result =
          request.method === "exchange"
            ? await engine.exchange(request.message)
            : await engine[request.method]();
        port.postMessage({ id, result }, result ? [result.buffer] : []);
      } catch (error) {
        port.postMessage({ id, error: String(error instanceof Error ? error.message : error) });
      }
    });
  });
  port.postMessage({ id: 0 });
}

// Only the thread that was started for it serves; whoever imports this file from another worker (vitest does) does not.
if (parentPort && workerData?.headwayPglite) await serve(parentPort);
