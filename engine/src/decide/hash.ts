import { createHash, hash } from "node:crypto";
import { permanent, type StageFault } from "./fault.ts";
import { cut, jsonDepthMax, storable } from "./text.ts";

/**
 * JSON with sorted keys and no optional parts: equal values give equal text. `undefined` properties are omitted;
 * all other values silently lost or changed by JSON (NaN, Date, Map, holes …) are refused.
 */
export function canonicalJson(value: unknown): string {
  try {
    return write(value, 0);
  } catch (error) {
    throw notJson(value, error);
  }
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      if (!Number.isFinite(value)) throw refused;
      return `${value}`;
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth >= jsonDepthMax) throw refused;
      return Array.isArray(value) ? writeArray(value, depth) : writeObject(value as JsonObject, depth);
    default:
      throw refused;
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Path and reason are computed only for the error message (`notJson`): the fast path keeps no record. */
const refused = new Error("refused");

function writeArray(items: readonly unknown[], depth: number): string {
  let text = "[";
  for (let at = 0; at < items.length; at++) {
    if (at > 0) text += ",";
    text += write(items[at], depth + 1);
  }
  return `${text}]`;
}

function writeObject(object: JsonObject, depth: number): string {
  if (!isPlain(object)) throw refused;
  let text = "";
  for (const key of sorted(Object.keys(object))) {
    const value = object[key];
    if (value === undefined) continue;
    text += text === "" ? "{" : ",";
    text += `${quote(key)}:${write(value, depth + 1)}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

/** Accepts plain objects of another realm too (a `vm` context, some test runners). */
function isPlain(object: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(object);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}

/** Insertion sort: documents have few keys, mostly in order already. */
function sorted(keys: string[]): string[] {
  if (keys.length > 50) return keys.sort();
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at] as string;
    let hole = at;
    while (hole > 0 && (keys[hole - 1] as string) > key) {
      keys[hole] = keys[hole - 1] as string;
      hole--;
    }
    keys[hole] = key;
  }
  return keys;
}

/** Short text is mostly plain, and a scan is cheaper than a call of JSON.stringify. */
function quote(text: string): string {
  if (text.length > 48) return JSON.stringify(text);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || unit >= 0xd800) return JSON.stringify(text);
  }
  return `"${text}"`;
}

function notJson(value: unknown, error: unknown): StageFault {
  const path: Step[] = [];
  let found: string | undefined;
  try {
    found = findProblem(value, path, new Set());
  } catch {
    found = "something that cannot be read";
  }
  const message = `Only plain JSON can be stored, but there is ${found ?? "too much"} at path ${pathText(path)}.`;
  return permanent("output.not-json", message, error === refused ? undefined : { cause: error });
}

type Step = string | number;

/** Describes the problem, and leaves `path` at its location. */
function findProblem(value: unknown, path: Step[], above: Set<unknown>): string | undefined {
  const found = above.has(value) ? "a circular reference" : foreign(value, path.length);
  if (found !== undefined || typeof value !== "object" || value === null) return found;
  above.add(value);
  for (const step of Array.isArray(value) ? value.keys() : sorted(Object.keys(value))) {
    const item = (value as Readonly<Record<Step, unknown>>)[step];
    if (item === undefined && typeof step === "string") continue;
    path.push(step);
    const problem = step in value ? findProblem(item, path, above) : "a hole";
    if (problem !== undefined) return problem;
    path.pop();
  }
  above.delete(value);
  return undefined;
}

/** Description of a value without a JSON form; its parts are not inspected. */
function foreign(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : `${value}`;
    case "undefined":
      return "undefined";
    case "object":
      if (value === null) return undefined;
      if (depth >= jsonDepthMax) return `nesting deeper than ${jsonDepthMax} levels`;
      return Array.isArray(value) || isPlain(value) ? undefined : `an instance of ${className(value)}`;
    default:
      return `a ${typeof value}`;
  }
}

function className(object: object): string {
  const name: unknown = object.constructor?.name;
  return typeof name === "string" && name !== "" ? readable(name) : "a nameless class";
}

/** `$.pages[3].title`, shortened if deep. */
function pathText(path: readonly Step[]): string {
  if (path.length <= 16) return `$${path.map(stepText).join("")}`;
  return `$${path.slice(0, 8).map(stepText).join("")} … ${path.slice(-8).map(stepText).join("")}`;
}

function stepText(step: Step): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[A-Za-z_$][\w$]{0,59}$/.test(step) ? `.${step}` : `[${JSON.stringify(readable(step))}]`;
}

const readable = (name: string): string => cut(storable(name.slice(0, 60)), 60);

/** SHA-256 of the canonical JSON of a document. */
export const contentHash = (canonical: string): Buffer => sha256(canonical);

/** Via a binary string: asking Node for a buffer costs an allocation as slow as the hash itself. */
const sha256 = (input: string | Uint8Array): Buffer => Buffer.from(hash("sha256", input, "binary"), "latin1");

/** Everything a result depends on. A change of any part makes the result stale. */
export interface MarkerParts {
  readonly stage: string;
  readonly inputHash: Uint8Array;
  readonly version: string;
  readonly configHash: Uint8Array;
  readonly model: string;
  /** `lookedHash` of a stage with look-ups. */
  readonly looked?: Uint8Array | null;
}

/** SHA-256 over the parts, each with a length prefix, so different lists of parts never collide. */
export function marker({ stage, inputHash, version, configHash, model, looked }: MarkerParts): Buffer {
  return sha256(prefixed(stage, inputHash, version, configHash, model, ...(looked ? [looked] : [])));
}

/** `marker` of one stage with its current variant, for many inputs. */
export function makeMarker(
  stage: string,
  version: string,
  configHash: Uint8Array,
  model: string,
): (inputHash: Uint8Array, looked?: Uint8Array | null) => Buffer {
  const head = prefixed(stage).length + lengthBytes;
  const draft = prefixed(stage, new Uint8Array(inputBytes), version, configHash, model);
  return (inputHash, looked) => {
    if (inputHash.length !== inputBytes || looked)
      return marker({ stage, inputHash, version, configHash, model, ...(looked && { looked }) });
    draft.set(inputHash, head);
    return sha256(draft);
  };
}

const inputBytes = 32;
const lengthBytes = 4;

function prefixed(...parts: readonly (string | Uint8Array)[]): Buffer {
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    const length = Buffer.allocUnsafe(lengthBytes);
    length.writeUInt32BE(bytes.length);
    pieces.push(length, bytes);
  }
  return Buffer.concat(pieces);
}

export interface GroupMember {
  readonly id: string;
  readonly hash: Uint8Array;
}

/** Content hash of a fan-in group: changes when a member comes, goes or changes; independent of order. */
export function groupHash(members: readonly GroupMember[]): Buffer {
  const digest = createHash("sha256");
  for (const member of [...members].sort(byIdThenHash)) digest.update(prefixed(member.id, member.hash));
  return digest.digest();
}

/** The hash of a task's look-ups: of every document read, by the name of its look-up, in the order asked for. */
export function lookedHash(
  looks: readonly { readonly name: string; readonly documents: readonly GroupMember[] }[],
): Buffer {
  const digest = createHash("sha256");
  for (const { name, documents } of looks) {
    digest.update(prefixed(name, String(documents.length)));
    for (const { id, hash } of documents) digest.update(prefixed(id, hash));
  }
  return digest.digest();
}

const byIdThenHash = (a: GroupMember, b: GroupMember): number =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : Buffer.compare(a.hash, b.hash);
