// @ts-check
// Runs stages in a thread of their own, one attempt at a time; the other end is `isolate.ts`. Plain JavaScript, because
// a thread starts without the loader that reads TypeScript.
import { serialize } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";

/**
 * @typedef {{ name: string, shape: string, run(input: unknown, context: object): any }} Stage
 * @typedef {{ kind: "run", stage: string, input: unknown, context: object } | { kind: "more" }} Order
 * @typedef {{ kind: "done" } | { kind: "thrown", thrown: unknown, broken: boolean }} End
 * @typedef {ReturnType<typeof makeOutbox>} Outbox
 */

/** With three batches on their way and one being filled, a stage is never more than 64 yields ahead. */
const batchLimits = { yieldsMax: 16, bytesMax: 4 * 1024 * 1024, ageMsMax: 10, onTheirWayMax: 3 };

/** Of this class by name, which is all that `isolate.ts` asks for. */
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

/** The author's module does not load; in this thread it never will. */
class BrokenModule extends StageFault {}

/** @param {import("node:worker_threads").MessagePort} port */
function serve(port) {
  const outbox = makeOutbox(
    (/** @type {Uint8Array<ArrayBuffer>[]} */ yields, /** @type {End | null} */ end) =>
      port.postMessage(
        { yields, end },
        yields.map(({ buffer }) => buffer),
      ),
  );
  port.on("message", async (/** @type {Order} */ order) => {
    if (order.kind === "more") return outbox.more();
    outbox.finish(await run(order, outbox));
  });
}

/**
 * @param {Order & { kind: "run" }} order
 * @param {Outbox} outbox
 * @returns {Promise<End>}
 */
async function run({ stage: name, input, context }, outbox) {
  try {
    const stage = await findStage(name);
    // Nobody aborts it: what ends an attempt from outside ends the whole thread.
    const { signal } = new AbortController();
    await sendYields(stage, stage.run(input, { ...context, signal }), outbox);
    return { kind: "done" };
  } catch (thrown) {
    return { kind: "thrown", thrown: portray(thrown), broken: thrown instanceof BrokenModule };
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
 * Packed here and not by `postMessage`, which tells neither how large something is nor which yield was the bad one.
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
 * @param {(yields: Uint8Array<ArrayBuffer>[], end: End | null) => void} post
 */
function makeOutbox(post) {
  /** @type {Uint8Array<ArrayBuffer>[]} */
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
    /**
     * Returns a promise when it is time to wait.
     *
     * @param {Buffer} packed
     */
    add(packed) {
      if (batch.length === 0) since = performance.now();
      batch.push(/** @type {Uint8Array<ArrayBuffer>} */ (packed));
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
    finish(end) {
      flush(end);
      onTheirWay = 0;
    },
  };
}

/** @type {Promise<object> | undefined} */
let loading;

/**
 * @param {string} name
 * @returns {Promise<Stage>}
 */
async function findStage(name) {
  const { module } = workerData.headwayIsolate;
  loading ??= load(module);
  const found = Object.values(await loading)
    .flatMap((each) => [each, ...(Array.isArray(each?.stages) ? each.stages : [])])
    .find((each) => each?.name === name && typeof each.run === "function");
  if (found) return found;
  throw new StageFault(
    "isolate.module",
    `Stage "${name}" is not among the exports of ${module}; export it there, or a pipeline that holds it.`,
  );
}

/**
 * @param {string} module
 * @returns {Promise<object>}
 */
async function load(module) {
  try {
    if (workerData.headwayIsolate.typescript) await readTypeScript(module);
    return await import(module);
  } catch (cause) {
    if (cause instanceof BrokenModule) throw cause;
    const message = `The module ${module} of an isolated stage does not load: ${readText(cause, "message") ?? cause}`;
    throw new BrokenModule("isolate.module", message, cause);
  }
}

/**
 * Asked for in the thread itself: `--import tsx` reaches the main thread only.
 *
 * @param {string} module
 */
async function readTypeScript(module) {
  const tsx = await import("tsx/esm/api").catch(() => null);
  if (tsx) return tsx.register();
  if ("typescript" in process.features && process.features.typescript) return undefined;
  const message = `The module ${module} of an isolated stage is TypeScript, which needs the package tsx here; install it, or build the module to JavaScript.`;
  throw new BrokenModule("isolate.module", message);
}

const portrayLimits = { objectsMax: 200, fieldsMax: 100, textMax: 100_000 };

/** Read from errors even if inherited: what `decide/recognise.ts` and `decide/classify.ts` look at. */
const tellingFields = [
  ...["name", "message", "stack", "code", "cause", "errors", "kind", "dependency", "retryAfterMs", "outage"],
  ...[
    "status",
    "statusCode",
    "statusText",
    "headers",
    "response",
    "$metadata",
    "issues",
    "syscall",
    "severity",
  ],
];

/**
 * Plain data from which `isolate.ts` makes a value like the one that was thrown. Never throws itself. The nearest things
 * come first, so that a thrown graph of a thousand objects is cut where it matters least.
 *
 * @param {unknown} thrown
 * @returns {unknown}
 */
function portray(thrown) {
  const seen = new Map();
  /** @type {[object, Portrait][]} */
  const queue = [];
  const show = (/** @type {any} */ value, /** @type {string} */ key) => {
    if (typeof value === "string") return key === "message" ? value : value.slice(0, portrayLimits.textMax);
    if (typeof value === "symbol") return { as: "symbol", names: [value.description ?? ""], fields: [] };
    if (typeof value === "function")
      return { as: "function", names: [readText(value, "name") ?? ""], fields: [] };
    if (typeof value !== "object" || value === null || seen.has(value)) return seen.get(value) ?? value;
    if (seen.size >= portrayLimits.objectsMax) return undefined;
    /** @type {Portrait} */
    const portrait = { as: kindOf(value), names: namesOf(value), fields: [] };
    seen.set(value, portrait);
    queue.push([value, portrait]);
    return portrait;
  };
  const shown = show(thrown, "");
  for (const [value, portrait] of queue) {
    for (const [key, field, enumerable] of fieldsOf(value))
      portrait.fields.push([key, show(field, key), enumerable]);
  }
  return shown;
}

/** @typedef {{ as: string, names: string[], fields: [string, unknown, boolean][] }} Portrait */

/** @param {object} value */
function kindOf(value) {
  const isList = quietly(() => Array.isArray(value));
  return isList ? "list" : quietly(() => value instanceof Error) ? "error" : "object";
}

/**
 * The classes of a value, its own first.
 *
 * @param {object} value
 */
function namesOf(value) {
  /** @type {string[]} */
  const names = [];
  let at = quietly(() => Object.getPrototypeOf(value));
  while (at && names.length < 10) {
    names.push(readText(read(at, "constructor"), "name") ?? "");
    const above = at;
    at = quietly(() => Object.getPrototypeOf(above));
  }
  return names;
}

/**
 * @param {any} value
 * @returns {[key: string, value: unknown, enumerable: boolean][]}
 */
function fieldsOf(value) {
  // Headers keep theirs where only their methods get at them.
  const pairs = quietly(
    () => typeof value.get === "function" && typeof value.keys === "function" && [...value],
  );
  if (pairs) return pairs.slice(0, portrayLimits.fieldsMax).map(([key, field]) => [String(key), field, true]);
  // The bytes of a buffer would be a field each.
  const own = ArrayBuffer.isView(value)
    ? ["length"]
    : (quietly(() => Object.getOwnPropertyNames(value)) ?? []);
  const keys = [...new Set([...tellingFields.filter((key) => read(value, key) !== undefined), ...own])];
  return keys
    .slice(0, portrayLimits.fieldsMax)
    .map((key) => [
      key,
      read(value, key),
      quietly(() => Object.prototype.propertyIsEnumerable.call(value, key)) ?? false,
    ]);
}

/**
 * @param {any} from
 * @param {string} key
 */
const read = (from, key) => quietly(() => from[key]);

/**
 * @param {unknown} from
 * @param {string} key
 * @returns {string | undefined}
 */
function readText(from, key) {
  const text = read(from, key);
  return typeof text === "string" ? text : undefined;
}

/**
 * Anything can be thrown, and reading it may throw again.
 *
 * @template T
 * @param {() => T} look
 */
function quietly(look) {
  try {
    return look();
  } catch {
    return undefined;
  }
}

// Only the thread that was started for it serves, whoever else imports this file.
if (parentPort && workerData?.headwayIsolate) serve(parentPort);
