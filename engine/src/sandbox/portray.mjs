// @ts-check
// How a thrown value leaves the process of an isolated stage.

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
 * Plain data from which `revive.ts` makes a value like the one that was thrown. Never throws itself. Goes from near to
 * far, so that of a large graph the parts are left out that matter least; flat, because a chain of causes can be long.
 *
 * @param {unknown} thrown
 */
export function portray(thrown) {
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
export function readText(from, key) {
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
