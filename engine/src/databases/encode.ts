import type { ColumnType, Value } from "../store/sql.ts";
import { Column } from "../store/sql.ts";

/** An encoded parameter: text as a string, binary as a Buffer. */
export type Encoded = string | Buffer | null;

/** Encodes a value for PostgreSQL's wire protocol; the same for both databases. */
export function encodeValue(value: Value): Encoded {
  if (value === null) return null;
  if (typeof value === "string") return value;
  if (value instanceof Column) return encodeColumn(value);
  if (value instanceof Date) return encodeTime(value);
  if (value instanceof Uint8Array) return asBuffer(value);
  if (value === undefined)
    throw new TypeError("A statement has a parameter that is undefined; use null for no value.");
  if (typeof value === "object")
    throw new TypeError(
      "A statement has a parameter that is an object of no known kind; if it is a column, two copies of @headway/engine are installed.",
    );
  return String(value);
}

/**
 * A column as a binary array. Costs a third of the array as text: nothing has to be quoted here or parsed
 * there (PGlite, 500 rows of 6 columns: 2.7 instead of 5.6 ms).
 */
export function encodeColumn(column: Column): Buffer {
  const { type, items } = column;
  const { oid, sizeOf, write } = elements[type];
  // The protocol's empty array has no dimension at all.
  if (items.length === 0) return header(Buffer.alloc(12), { dimensions: 0, hasNull: 0, oid });
  const sizes = new Int32Array(items.length);
  let length = 20;
  let hasNull = 0;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    const size = item === null ? -1 : sizeOf(item);
    if (size < 0) hasNull = 1;
    else length += size;
    sizes[index] = size;
    length += 4;
  }
  const bytes = header(Buffer.allocUnsafe(length), { dimensions: 1, hasNull, oid });
  bytes.writeInt32BE(items.length, 12);
  bytes.writeInt32BE(1, 16);
  let offset = 20;
  for (let index = 0; index < items.length; index += 1) {
    const size = sizes[index] as number;
    offset = bytes.writeInt32BE(size, offset);
    if (size < 0) continue;
    write(bytes, items[index], offset);
    offset += size;
  }
  return bytes;
}

function header(bytes: Buffer, head: { dimensions: number; hasNull: number; oid: number }): Buffer {
  bytes.writeInt32BE(head.dimensions, 0);
  bytes.writeInt32BE(head.hasNull, 4);
  bytes.writeInt32BE(head.oid, 8);
  return bytes;
}

interface Element {
  readonly oid: number;
  sizeOf(item: unknown): number;
  write(bytes: Buffer, item: unknown, offset: number): void;
}

const elements: Readonly<Record<ColumnType, Element>> = {
  bool: {
    oid: 16,
    sizeOf: () => 1,
    write: (bytes, item, offset) =>
      bytes.writeUInt8(item === true ? 1 : item === false ? 0 : refuse("bool", item), offset),
  },
  bytea: {
    oid: 17,
    sizeOf: (item) => (item instanceof Uint8Array ? item.byteLength : refuse("bytea", item)),
    write: (bytes, item, offset) => bytes.set(item as Uint8Array, offset),
  },
  int8: {
    oid: 20,
    sizeOf: () => 8,
    write: (bytes, item, offset) =>
      writeInt8(bytes, typeof item === "bigint" ? item : integer("int8", item), offset),
  },
  int2: {
    oid: 21,
    sizeOf: () => 2,
    write: (bytes, item, offset) => bytes.writeInt16BE(integer("int2", item), offset),
  },
  int4: {
    oid: 23,
    sizeOf: () => 4,
    write: (bytes, item, offset) => bytes.writeInt32BE(integer("int4", item), offset),
  },
  text: {
    oid: 25,
    sizeOf: (item) => (typeof item === "string" ? Buffer.byteLength(item) : refuse("text", item)),
    write: (bytes, item, offset) => bytes.write(item as string, offset),
  },
  timestamptz: {
    oid: 1184,
    sizeOf: () => 8,
    write: (bytes, item, offset) => writeInt8(bytes, microseconds(item), offset),
  },
  uuid: {
    oid: 2950,
    sizeOf: () => 16,
    write: (bytes, item, offset) => bytes.write(uuidHex(item), offset, "hex"),
  },
};

/** Two halves as plain numbers: a BigInt for each row would cost more than the row. */
function writeInt8(bytes: Buffer, value: number | bigint, offset: number): void {
  if (typeof value === "bigint") {
    bytes.writeBigInt64BE(value, offset);
    return;
  }
  bytes.writeInt32BE(Math.floor(value / 0x1_0000_0000), offset);
  bytes.writeUInt32BE(value >>> 0, offset + 4);
}

function integer(type: ColumnType, item: unknown): number {
  return Number.isSafeInteger(item) ? (item as number) : refuse(type, item);
}

const year2000 = Date.UTC(2000, 0, 1);

/** PostgreSQL counts microseconds since 2000; outside of the years 1715 to 2285 the count exceeds a safe integer. */
function microseconds(item: unknown): number | bigint {
  const ms = item instanceof Date ? item.getTime() - year2000 : Number.NaN;
  if (Number.isNaN(ms)) return refuse("timestamptz", item);
  return Number.isSafeInteger(ms * 1000) ? ms * 1000 : BigInt(ms) * 1000n;
}

/** Rows of one batch mostly belong to one request, so the last result is cached. */
let lastUuid: { readonly text: unknown; readonly hex: string } = { text: null, hex: "" };

function uuidHex(item: unknown): string {
  if (item === lastUuid.text) return lastUuid.hex;
  const hex = typeof item === "string" ? item.replaceAll("-", "") : "";
  if (!/^[0-9a-f]{32}$/i.test(hex)) return refuse("uuid", item);
  lastUuid = { text: item, hex };
  return hex;
}

/** ISO 8601, except that PostgreSQL writes far years without a sign and years before Christ with BC. */
function encodeTime(time: Date): string {
  if (Number.isNaN(time.getTime())) return refuse("timestamptz", time);
  const text = time.toISOString();
  if (text.startsWith("+")) return text.slice(1);
  if (!text.startsWith("-") && !text.startsWith("0000")) return text;
  const year = 1 - time.getUTCFullYear();
  return `${String(year).padStart(4, "0")}${text.slice(text.indexOf("-", 1))} BC`;
}

/** The same error code as the server's own refusal, so callers need no distinction. */
function refuse(type: ColumnType, item: unknown): never {
  const shown = typeof item === "string" ? JSON.stringify(item.slice(0, 80)) : String(item);
  throw Object.assign(new TypeError(`${shown} is not a value for a column of type ${type}.`), {
    code: "22P02",
  });
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
