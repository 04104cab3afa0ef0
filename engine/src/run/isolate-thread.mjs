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
    outbox.begin();
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
    // A module that did not load once never will in this thread.
    return { kind: "thrown", thrown: portray(thrown), broken: exported === undefined };
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
    finish: (end) => flush(end),
  };
}

/** @type {object | undefined} What the author's module exports, once it is loaded. */
let exported;

/**
 * @param {string} name
 * @returns {Promise<Stage>}
 */
async function findStage(name) {
  const { module, typescript } = workerData.headwayIsolate;
  exported ??= await load(module, typescript);
  const found = Object.values(exported)
    .flatMap((each) => [each, ...(Array.isArray(each?.stages) ? each.stages : [])])
    .find((each) => each?.name === name && typeof each.run === "function");
  if (found) return found;
  const message = `Stage "${name}" is not among the exports of ${module}; export it there, or a pipeline that holds it.`;
  throw new StageFault("isolate.module", message);
}

/**
 * @param {string} module
 * @param {boolean} typescript
 * @returns {Promise<object>}
 */
async function load(module, typescript) {
  if (typescript) await readTypeScript(module);
  try {
    return await import(module);
  } catch (cause) {
    const why = readText(cause, "message") ?? "it threw something that is no error";
    throw new StageFault(
      "isolate.module",
      `The isolated stages of ${module} cannot be loaded: ${why}`,
      cause,
    );
  }
}

/**
 * Asked for in the thread itself, because `--import tsx` reaches the main thread only.
 *
 * @param {string} module
 */
async function readTypeScript(module) {
  const tsx = await import("tsx/esm/api").catch(() => null);
  if (tsx) return void tsx.register();
  // Later versions of Node read it by themselves.
  if ("typescript" in process.features && process.features.typescript) return;
  const message = `The isolated stages of ${module} cannot be loaded: it is TypeScript and the package tsx is missing; install it, or build the module to JavaScript.`;
  throw new StageFault("isolate.module", message);
}

/** What is beyond these is left out. */
const portrayLimits = { objectsMax: 5_000, itemsMax: 1_000, fieldsMax: 100, textMax: 1_000_000 };

/** Read even where inherited: what `decide/recognise.ts` and `decide/classify.ts` judge by. */
const tellingFields =
  "name message stack code cause errors kind dependency retryAfterMs outage status statusCode statusText headers response $metadata issues syscall severity".split(
    " ",
  );

/**
 * @typedef {{ ref: number } | string | number | bigint | boolean | null | undefined} Shown
 * @typedef {{ as: string, names: string[], fields: [key: string, value: Shown, enumerable: boolean][] }} Portrait
 */

/**
 * Plain data from which `isolate.ts` makes a value like the one that was thrown. Never throws itself. Goes from near to
 * far, so that of a large graph the parts are left out that matter least; flat, because a chain of causes can be long.
 *
 * @param {unknown} thrown
 */
function portray(thrown) {
  /** @type {Map<any, { ref: number }>} */
  const refs = new Map();
  let textLeft = portrayLimits.textMax;
  /** @type {(value: any, key: string) => Shown} */
  const show = (value, key) => {
    if (typeof value === "string") {
      const text = key === "message" ? value : value.slice(0, textLeft);
      if (key !== "message") textLeft -= text.length;
      return text;
    }
    if (value === null || !/object|function|symbol/.test(typeof value)) return value;
    const ref = refs.get(value) ?? { ref: refs.size };
    if (ref.ref >= portrayLimits.objectsMax) return undefined;
    refs.set(value, ref);
    return ref;
  };
  const root = show(thrown, "");
  /** @type {Portrait[]} */
  const portraits = [];
  // Showing its fields adds to what is gone through here.
  for (const value of refs.keys()) {
    const fields = fieldsOf(value);
    const shown = fields.map(([key, field, enumerable]) => [key, show(field, key), enumerable]);
    portraits.push({ as: kindOf(value), names: namesOf(value), fields: /** @type {any} */ (shown) });
  }
  return { root, portraits };
}

/** @param {any} value */
function kindOf(value) {
  if (typeof value !== "object") return typeof value;
  if (quietly(() => Array.isArray(value))) return "list";
  return quietly(() => value instanceof Error) ? "error" : "object";
}

/**
 * The classes of an object, its own first; the name of anything else.
 *
 * @param {any} value
 */
function namesOf(value) {
  if (typeof value !== "object") return [readText(value, "description") ?? readText(value, "name") ?? ""];
  /** @type {string[]} */
  const names = [];
  for (let at = above(value); at && names.length < 10; at = above(at)) {
    names.push(readText(read(at, "constructor"), "name") ?? "");
  }
  return names;
}

const above = (/** @type {object} */ value) => quietly(() => Object.getPrototypeOf(value));

/**
 * @param {any} value
 * @returns {[key: string, value: unknown, enumerable: boolean][]}
 */
function fieldsOf(value) {
  if (typeof value !== "object") return [];
  const isOwn = (/** @type {string} */ key) => Object.prototype.propertyIsEnumerable.call(value, key);
  return (
    quietly(() => pairsOf(value)) ??
    keysOf(value)
      .map((key) => /** @type {const} */ ([key, read(value, key), quietly(() => isOwn(key)) ?? false]))
      .filter(([, field]) => field !== undefined)
      .map((field) => [...field])
  );
}

/**
 * Headers and maps keep their fields where only their methods get at them.
 *
 * @param {any} value
 * @returns {[key: string, value: unknown, enumerable: boolean][] | undefined}
 */
function pairsOf(value) {
  if (typeof value.get !== "function" || typeof value.keys !== "function") return undefined;
  /** @type {[string, unknown, boolean][]} */
  const pairs = [];
  for (const [key, field] of value) {
    if (pairs.push([String(key), field, true]) >= portrayLimits.fieldsMax) break;
  }
  return pairs;
}

/**
 * @param {object} value
 * @returns {string[]}
 */
function keysOf(value) {
  if (kindOf(value) === "list") {
    const length = Math.min(Number(read(value, "length")), portrayLimits.itemsMax);
    return Array.from({ length }, (_, at) => String(at));
  }
  // The bytes of a buffer would be a field each.
  if (ArrayBuffer.isView(value)) return ["length"];
  const own = quietly(() => Object.getOwnPropertyNames(value)) ?? [];
  return [...new Set([...tellingFields, ...own.slice(0, portrayLimits.fieldsMax)])];
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
