/// <reference lib="es2024.string" />
import { createHash } from "node:crypto";
import { permanent } from "./fault.ts";

/** Makes text storable in PostgreSQL: NUL and lone surrogates, legal in mail and PDFs, become U+FFFD. */
export const storable = (text: string): string => (isStorable(text) ? text : replaceNul(text.toWellFormed()));

const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** Works on bytes, because `replaceAll` needs gigabytes for a text of only NULs. */
function replaceNul(text: string): string {
  if (!text.includes("\0")) return text;
  const units = Buffer.from(text, "utf16le");
  for (let at = 0; at < units.length; at += 2) {
    if (units[at] === 0 && units[at + 1] === 0) units.writeUInt16LE(0xfffd, at);
  }
  return units.toString("utf16le");
}

export interface StorableJson<Value> {
  /** The same reference if nothing had to be replaced. */
  readonly value: Value;
  /** Number of replaced characters, in keys and values together. */
  readonly replaced: number;
}

/** Makes a JSON value storable in PostgreSQL, keys included; clean parts are shared, not copied. */
export function storableJson<Value>(value: Value): StorableJson<Value> {
  if (isClean(value, 0)) return { value, replaced: 0 };
  const count = { replaced: 0 };
  return { value: cleaned(value, 0, count) as Value, replaced: count.replaced };
}

/** Deeper values are refused, as in `canonicalJson`; the limit also ends the walk of a circular value. */
export const jsonDepthMax = 1_000;

function isClean(value: unknown, depth: number): boolean {
  if (typeof value === "string") return isStorable(value);
  if (typeof value !== "object" || value === null) return true;
  checkDepth(depth);
  if (Array.isArray(value)) {
    for (const item of value) if (!isClean(item, depth + 1)) return false;
    return true;
  }
  for (const key of Object.keys(value)) {
    if (!isStorable(key) || !isClean((value as JsonObject)[key], depth + 1)) return false;
  }
  return true;
}

type JsonObject = Readonly<Record<string, unknown>>;

function checkDepth(depth: number): void {
  if (depth < jsonDepthMax) return;
  throw permanent(
    "output.not-json",
    `A JSON value is circular or nested deeper than ${jsonDepthMax} levels.`,
  );
}

interface Count {
  replaced: number;
}

function cleaned(value: unknown, depth: number, count: Count): unknown {
  if (typeof value === "string") return cleanedText(value, count);
  if (typeof value !== "object" || value === null) return value;
  checkDepth(depth);
  if (Array.isArray(value)) {
    const items = value.map((item) => cleaned(item, depth + 1, count));
    return items.some((item, at) => !Object.is(item, value[at])) ? items : value;
  }
  return cleanedObject(value as JsonObject, depth, count);
}

function cleanedText(text: string, count: Count): string {
  const clean = storable(text);
  if (clean === text) return text;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) !== clean.charCodeAt(at)) count.replaced++;
  }
  return clean;
}

function cleanedObject(object: JsonObject, depth: number, count: Count): JsonObject {
  const keys = Object.keys(object);
  const names = cleanedKeys(keys, count);
  const values = keys.map((key) => cleaned(object[key], depth + 1, count));
  if (names.size === 0 && values.every((value, at) => Object.is(value, object[keys[at] ?? ""])))
    return object;
  // fromEntries defines properties, so a key named __proto__ stays a key
  return Object.fromEntries(keys.map((key, at) => [names.get(key) ?? key, values[at]]));
}

/**
 * New names of keys to be changed. A name already taken gets a suffix (`~2`), so no value is lost; clean keys keep
 * their names, and the rest are renamed in sorted order, independent of the original order.
 */
function cleanedKeys(keys: readonly string[], count: Count): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(keys.filter(isStorable));
  const suffixes = new Map<string, number>();
  for (const key of keys.filter((key) => !isStorable(key)).sort()) {
    const base = cleanedText(key, count);
    let name = base;
    let suffix = suffixes.get(base) ?? 1;
    while (taken.has(name)) name = `${base}~${++suffix}`;
    suffixes.set(base, suffix);
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

export interface Truncated {
  readonly text: string;
  /** Bytes cut away, and the SHA-256 (hex) of the whole text. */
  readonly truncated?: { readonly bytes: number; readonly sha256: string };
}

/**
 * Shortens text to at most `bytesMax` bytes of UTF-8, never inside a character, and records size and hash of the
 * whole.
 */
export function truncate(text: string, bytesMax: number): Truncated {
  if (fits(text, bytesMax)) return { text };
  const kept = cut(text, bytesMax);
  const whole = digest(text);
  return { text: kept, truncated: { bytes: whole.bytes - Buffer.byteLength(kept), sha256: whole.sha256 } };
}

/** The part of `truncate` that never looks beyond the limit. The result does not retain the original in memory. */
export function cut(text: string, bytesMax: number): string {
  if (fits(text, bytesMax)) return text;
  const bytes = new Uint8Array(bytesMax > 0 ? Math.floor(bytesMax) : 0);
  const { written } = encoder.encodeInto(text.slice(0, bytes.length), bytes);
  return Buffer.from(bytes.buffer, 0, written).toString();
}

const encoder = new TextEncoder();

/** A UTF-16 unit is one to three bytes of UTF-8, so most texts need no measuring. */
const fits = (text: string, bytesMax: number): boolean =>
  text.length * 3 <= bytesMax || (text.length <= bytesMax && Buffer.byteLength(text) <= bytesMax);

/** Hashed in pieces, so a huge text needs little memory. */
function digest(text: string): { readonly bytes: number; readonly sha256: string } {
  const hash = createHash("sha256");
  let bytes = 0;
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + pieceLength, text.length);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to--;
    const piece = Buffer.from(text.slice(from, to));
    hash.update(piece);
    bytes += piece.length;
    from = to;
  }
  return { bytes, sha256: hash.digest("hex") };
}

const pieceLength = 1 << 20;
const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
