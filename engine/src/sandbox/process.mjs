// @ts-check
// Runs isolated stages in a process of their own, one attempt at a time; the other end is `child.ts`.
// Plain JavaScript, because a process that is to run JavaScript starts without the loader that reads TypeScript.
import { writeFileSync } from "node:fs";
import { serialize } from "node:v8";
import { Worker } from "node:worker_threads";
import { portray, readText } from "./portray.mjs";

/**
 * @typedef {{ name: string, shape: string, run(input: unknown, context: object): any }} Stage
 * @typedef {{ kind: "run", module: string, stage: string, makes: string[], input: unknown, context: object }} Run
 * @typedef {Run | { kind: "load", module: string } | { kind: "more" }} Order
 * @typedef {{ exported: object, services: Record<string, unknown> }} Loaded
 * @typedef {{ kind: "done" } | { kind: "thrown", thrown: unknown, broken: boolean }} End
 * @typedef {ReturnType<typeof makeOutbox>} Outbox
 */

/** With three batches on their way and one being filled, a stage is never more than 64 yields ahead. */
const batchLimits = { yieldsMax: 16, bytesMax: 4 * 1024 * 1024, ageMsMax: 10, onTheirWayMax: 3 };

/**
 * A process may be so much larger than the heap of its stage: Node itself takes 40 MB, a loader of TypeScript 40 more,
 * and buffers are outside of the heap.
 */
const residentAllowanceMb = 256;

/** Of this class by name, which is all that `revive.ts` asks for. */
class StageFault extends Error {
  kind = "permanent";

  /**
   * @param {string} code
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(code, message, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StageFault";
    this.code = code;
  }
}

/** @param {number} memoryMb */
function serve(memoryMb) {
  startWatcher(memoryMb);
  leaveNoCore();
  // These go to a whole service at once. Whoever started this process lets the stage finish, or ends it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
  process.on("uncaughtException", (thrown) =>
    send({ kind: "crashed", thrown: portray(thrown) }, () => process.exit(1)),
  );
  const outbox = makeOutbox((yields, end) => send({ kind: "batch", yields, end }));
  process.on("message", async (/** @type {Order} */ order) => {
    if (order.kind === "more") return outbox.more();
    if (order.kind === "load") {
      // A failure is told by the first run.
      await load(order.module).catch(() => undefined);
      return send({ kind: "ready" });
    }
    outbox.begin();
    outbox.finish(await run(order, outbox));
  });
}

/**
 * Nobody to send to any more: then the watcher ends this process.
 *
 * @param {object} sent
 * @param {() => void} [then]
 */
const send = (sent, then = () => undefined) => process.send?.(sent, undefined, undefined, then);

/** @param {number} memoryMb */
function startWatcher(memoryMb) {
  const residentBytesMax = (memoryMb + residentAllowanceMb) * 1024 * 1024;
  new Worker(new URL("./watcher.mjs", import.meta.url), {
    workerData: { lifelineFd: 4, residentBytesMax },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  }).unref();
}

/** V8 aborts at the limit of the heap; a system that keeps what aborts would write all of it to a file. Linux only. */
function leaveNoCore() {
  try {
    writeFileSync("/proc/self/coredump_filter", "0");
  } catch {
    // There is no such file.
  }
}

/**
 * @param {Run} order
 * @param {Outbox} outbox
 * @returns {Promise<End>}
 */
async function run({ module, stage: name, makes, input, context }, outbox) {
  let broken = true;
  try {
    const { exported, services } = await load(module);
    broken = false;
    const stage = findStage(module, name, exported);
    const made = pickServices(module, makes, services);
    // Nobody aborts it: what ends an attempt from outside ends the whole process.
    const { signal } = new AbortController();
    await sendYields(stage, stage.run(input, { ...context, ...made, signal }), outbox);
    return { kind: "done" };
  } catch (thrown) {
    // A module that did not load once never will in this process.
    return { kind: "thrown", thrown: portray(thrown), broken };
  }
}

/**
 * The same two loops as in `attempt.ts`, so that a stage meets the same rules on either side.
 *
 * @param {Stage} stage
 * @param {any} yields
 * @param {Outbox} outbox
 */
async function sendYields(stage, yields, outbox) {
  if (yields === null || yields === undefined) {
    throw new StageFault(
      "stage.yields-nothing",
      `Stage "${stage.name}" returned nothing to iterate; its run must be a generator.`,
    );
  }
  const send = (/** @type {unknown} */ one) => outbox.add(pack(stage, one));
  if (Symbol.iterator in yields) {
    for (const one of yields) {
      const full = send(one);
      if (full) await full;
    }
  } else {
    for await (const one of yields) await send(one);
  }
}

/**
 * Packed here and not by `process.send`, which tells neither how large something is nor which yield was the bad one.
 *
 * @param {Stage} stage
 * @param {any} one
 */
function pack(stage, one) {
  try {
    // The id says which input an output of a batch is for; the body need not travel back.
    const isPair = stage.shape === "batch" && Array.isArray(one);
    return serialize(isPair ? [{ id: one[0]?.id }, ...one.slice(1)] : one);
  } catch (cause) {
    const message = `Stage "${stage.name}" yielded something that is not plain data: ${readText(cause, "message")}`;
    throw new StageFault("output.not-json", message, cause);
  }
}

/**
 * Collects yields into batches, and makes the stage wait when the other side has too many of them.
 *
 * @param {(yields: Buffer[], end: End | null) => void} post
 */
function makeOutbox(post) {
  /** @type {Buffer[]} */
  let batch = [];
  let bytes = 0;
  let since = 0;
  let onTheirWay = 0;
  /** @type {NodeJS.Immediate | undefined} */
  let soon;
  /** @type {(() => void) | null} */
  let goOn = null;

  const flush = (/** @type {End | null} */ end) => {
    clearImmediate(soon);
    soon = undefined;
    onTheirWay += 1;
    post(batch, end);
    batch = [];
    bytes = 0;
  };
  const flushIfAllowed = () => {
    if (batch.length > 0 && onTheirWay < batchLimits.onTheirWayMax) flush(null);
  };
  const isDue = () =>
    batch.length >= batchLimits.yieldsMax ||
    bytes >= batchLimits.bytesMax ||
    performance.now() - since >= batchLimits.ageMsMax;

  return {
    /** By now all that was sent before has been acknowledged, or never will be. */
    begin() {
      onTheirWay = 0;
    },
    /**
     * Returns a promise when it is time to wait.
     *
     * @param {Buffer} packed
     */
    add(packed) {
      if (batch.length === 0) since = performance.now();
      batch.push(packed);
      bytes += packed.length;
      // A stage that waits for something lets this happen; one that goes on at once fills the batch first.
      soon ??= setImmediate(flushIfAllowed);
      if (!isDue()) return undefined;
      flushIfAllowed();
      if (batch.length < batchLimits.yieldsMax && bytes < batchLimits.bytesMax) return undefined;
      return new Promise((/** @type {(nothing: void) => void} */ resolve) => {
        goOn = resolve;
      });
    },
    more() {
      onTheirWay -= 1;
      flushIfAllowed();
      goOn?.();
      goOn = null;
    },
    /** @param {End} end */
    finish: (end) => flush(end),
  };
}

/**
 * @param {string} module
 * @param {string} name
 * @param {object} exported
 * @returns {Stage}
 */
function findStage(module, name, exported) {
  const found = Object.values(exported)
    .flatMap((each) => [each, ...(Array.isArray(each?.stages) ? each.stages : [])])
    .find((each) => each?.name === name && typeof each.run === "function");
  if (found) return found;
  const message = `Stage "${name}" is not among the exports of ${module}; export it there, or a pipeline that holds it.`;
  throw new StageFault("isolate.module", message);
}

/**
 * @param {string} module
 * @param {string[]} makes
 * @param {Record<string, unknown>} services
 */
function pickServices(module, makes, services) {
  return Object.fromEntries(
    makes.map((name) => {
      if (services[name] !== undefined) return [name, services[name]];
      const message = `The service "${name}" is not made by ${module}; export a function "services" there that returns it.`;
      throw new StageFault("isolate.module", message);
    }),
  );
}

/** @type {Map<string, Promise<Loaded>>} Modules of this process, with the services they make, once each. */
const modules = new Map();

/**
 * @param {string} module
 * @returns {Promise<Loaded>}
 */
function load(module) {
  const known = modules.get(module);
  if (known) return known;
  const loading = importModule(module);
  modules.set(module, loading);
  return loading;
}

/**
 * @param {string} module
 * @returns {Promise<Loaded>}
 */
async function importModule(module) {
  try {
    const exported = await import(module);
    const services = typeof exported.services === "function" ? await exported.services() : {};
    return { exported, services };
  } catch (cause) {
    const why = readText(cause, "message") ?? "it threw something that is no error";
    const fault = new StageFault(
      "isolate.module",
      `The isolated stages of ${module} cannot be loaded: ${why}`,
      cause,
    );
    // Not the document's fault: half a deployment must not kill thousands of them at once.
    fault.kind = "transient";
    throw fault;
  }
}

const [memoryMb] = process.argv.slice(2);
// Only the process that was started for it serves, whoever else imports this file.
if (process.send && process.env.HEADWAY_ISOLATED) serve(Number(memoryMb));
