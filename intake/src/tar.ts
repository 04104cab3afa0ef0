import type { ByteReader } from "./byte-reader.ts";
import { hasTarChecksum, tarBlockBytes } from "./packing.ts";

export type TarItem =
  | {
      readonly kind: "file";
      readonly name: string;
      readonly size: number;
      readonly modified: string | null;
      /** To be read before the next entry; ends early in a truncated tar file. */
      readonly body: AsyncIterable<Uint8Array>;
    }
  | { readonly kind: "folder"; readonly name: string }
  /** A link, a device or something newer: nothing to read. */
  | { readonly kind: "other"; readonly name: string; readonly what: string }
  /** A header about the next entry. */
  | { readonly kind: "meta" }
  /** The rest is unreadable. */
  | { readonly kind: "damaged"; readonly because: string };

/** Thrown by the body of a truncated entry. */
export class TarCutError extends Error {}

/** Long names and pax records; real sizes are far smaller. */
const metaBytesMax = 1 << 20;
const pieceBytes = 1 << 16;

/** The entries of a tar stream, in the dialects of ustar, pax, GNU and the seventh edition. */
export async function* readTar(reader: ByteReader): AsyncGenerator<TarItem> {
  let global: PaxRecords = {};
  let local: PaxRecords = {};
  for (;;) {
    const block = await reader.take(tarBlockBytes);
    if (block.length === 0 || isZero(block)) return;
    if (block.length < tarBlockBytes) return yield damaged("it is cut off");
    if (!hasTarChecksum(block)) return yield damaged("an entry has a wrong checksum");
    const header = readHeader(block);
    if ("xgLKXNV".includes(header.type)) {
      if (header.size > metaBytesMax) return yield damaged("a name is longer than names can be");
      const content = await reader.take(header.size);
      await skip(reader, padding(header.size));
      if (content.length < header.size) return yield damaged("it is cut off");
      const records = readMeta(header.type, content);
      if (header.type === "g") global = { ...global, ...records };
      else local = { ...local, ...records };
      yield { kind: "meta" };
      continue;
    }
    const entry = describe(header, { ...global, ...local });
    local = {};
    if (entry.size === null) return yield damaged("an entry has a size that is not a number");
    const { item, finish } = openEntry(reader, entry.item, entry.size);
    yield item;
    if (!(await finish())) return yield damaged("it is cut off");
  }
}

interface Header {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly modified: string | null;
}

type PaxRecords = Readonly<Record<string, string>>;
type Draft =
  | Extract<TarItem, { kind: "folder" | "other" }>
  | Omit<Extract<TarItem, { kind: "file" }>, "body">;

function describe(header: Header, pax: PaxRecords): { item: Draft; size: number | null } {
  const size = pax.size === undefined ? header.size : readDecimal(pax.size);
  const name = pax.path ?? header.name;
  const sparse = header.type === "S" || Object.keys(pax).some((key) => key.startsWith("GNU.sparse."));
  if (size === null || !Number.isSafeInteger(size) || size < 0) {
    return { item: { kind: "folder", name }, size: null };
  }
  if (sparse) return { item: { kind: "other", name, what: "a file with holes" }, size };
  if (header.type === "5" || (isFile(header.type) && name.endsWith("/"))) {
    return { item: { kind: "folder", name }, size };
  }
  if (!isFile(header.type)) {
    const hasContent = !"123456".includes(header.type);
    return { item: { kind: "other", name, what: whatIs(header.type) }, size: hasContent ? size : 0 };
  }
  const modified = pax.mtime === undefined ? header.modified : toMoment(Number(pax.mtime));
  return { item: { kind: "file", name, size, modified }, size };
}

/** `finish` skips to the next header after any part of the body; false at the end of the file. */
function openEntry(reader: ByteReader, draft: Draft, size: number) {
  let left = size;
  const next = async () => {
    const piece = await reader.next(Math.min(left, pieceBytes));
    left -= piece?.length ?? 0;
    return piece;
  };
  async function* body(): AsyncGenerator<Uint8Array> {
    while (left > 0) {
      const piece = await next();
      if (piece === null) throw new TarCutError("The tar file is cut off.");
      yield piece;
    }
  }
  const finish = async () => {
    while (left > 0) if ((await next()) === null) return false;
    return skip(reader, padding(size));
  };
  const item: TarItem = draft.kind === "file" ? { ...draft, body: body() } : draft;
  return { item, finish };
}

function readHeader(block: Buffer): Header {
  const prefix = block.toString("latin1", 257, 263) === "ustar\0" ? readText(block, 345, 500) : "";
  const name = readText(block, 0, 100);
  const type = block[156] === 0 ? "0" : block.toString("latin1", 156, 157);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    type,
    size: readNumber(block, 124, 136),
    modified: toMoment(readNumber(block, 136, 148)),
  };
}

function readMeta(type: string, content: Buffer): PaxRecords {
  switch (type) {
    case "L":
    case "N":
      return { path: readText(content, 0, content.length) };
    case "x":
    case "X":
    case "g":
      return readPax(content);
    default:
      return {};
  }
}

/** Records are `LENGTH KEY=VALUE\n`, where the length counts the whole record. */
function readPax(content: Buffer): PaxRecords {
  const records: [string, string][] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const length =
      space === -1 ? null : readDecimal(content.toString("latin1", at, Math.min(space, at + 10)));
    if (length === null || at + length <= space || at + length > content.length) break;
    const record = content.subarray(space + 1, at + length - 1);
    const equals = record.indexOf(0x3d);
    if (equals > 0) {
      const value = record.subarray(equals + 1);
      records.push([record.toString("utf8", 0, equals), readText(value, 0, value.length)]);
    }
    at += length;
  }
  return Object.fromEntries(records);
}

/** Octal digits, or GNU's big-endian bytes for larger numbers; -1 for neither. */
function readNumber(block: Buffer, start: number, end: number): number {
  const first = block[start] as number;
  if (first & 0x80) {
    let value = first & 0x7f;
    for (let at = start + 1; at < end; at += 1) value = value * 256 + (block[at] as number);
    return value;
  }
  const digits = block.toString("latin1", start, end).replaceAll("\0", " ").trim();
  if (digits === "") return 0;
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : -1;
}

const readDecimal = (text: string) => (/^[0-9]{1,16}$/.test(text) ? Number(text) : null);

/** Up to the NUL, as UTF-8 if valid. */
function readText(bytes: Buffer, start: number, end: number): string {
  const nul = bytes.indexOf(0, start);
  return decodeName(bytes.subarray(start, nul === -1 || nul > end ? end : nul));
}

export function decodeName(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

function toMoment(seconds: number): string | null {
  const moment = new Date(seconds * 1000);
  return seconds > 0 && !Number.isNaN(moment.getTime()) ? moment.toISOString() : null;
}

async function skip(reader: ByteReader, bytes: number): Promise<boolean> {
  return (await reader.take(bytes)).length === bytes;
}

const padding = (size: number) => (tarBlockBytes - (size % tarBlockBytes)) % tarBlockBytes;
const isFile = (type: string) => type === "0" || type === "7";
const isZero = (block: Buffer) => block.every((byte) => byte === 0);
const damaged = (because: string): TarItem => ({ kind: "damaged", because });

function whatIs(type: string): string {
  if (type === "1" || type === "2") return "a link";
  if (type === "3" || type === "4") return "a device";
  return type === "6" ? "a pipe" : "of a kind that is not known here";
}
