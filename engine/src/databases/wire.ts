import type { Parser } from "./decode.ts";
import { parserOf } from "./decode.ts";
import type { Encoded } from "./encode.ts";

/**
 * PostgreSQL's wire protocol, as far as needed for PGlite. PGlite's own `query` takes five steps through WASM for
 * each statement and parses every time; one message with a prepared statement takes one (170 → 50 µs).
 */
export interface Call {
  readonly text: string;
  readonly values: readonly Encoded[];
  /** The prepared statement to use; "" for none. */
  readonly name: string;
  /** Whether the statement has to be parsed under this name first. */
  readonly parse: boolean;
  /** Begins a transaction first: if the begin fails, the statement does not run either. */
  readonly begin: boolean;
}

/** One message that parses where needed, binds, describes and executes a statement. */
export function writeCall(call: Call): Uint8Array<ArrayBuffer> {
  const { text, values, name, parse, begin } = call;
  const nameBytes = Buffer.byteLength(name);
  const sizes = values.map((value) =>
    value === null ? 0 : typeof value === "string" ? Buffer.byteLength(value) : value.length,
  );
  const bindBytes =
    4 + 1 + nameBytes + 1 + 2 + 2 * values.length + 2 + sizes.reduce((sum, size) => sum + 4 + size, 0) + 2;
  const parseBytes = 4 + nameBytes + 1 + Buffer.byteLength(text) + 1 + 2;
  const total = (begin ? beginning.length : 0) + (parse ? 1 + parseBytes : 0) + 1 + bindBytes + ending.length;
  const out = makeWriter(total);
  if (begin) out.bytes(beginning);
  if (parse) out.head("P", parseBytes).cstring(name).cstring(text).int2(0);
  out.head("B", bindBytes).cstring("").cstring(name).int2(values.length);
  for (const value of values) out.int2(value === null || typeof value === "string" ? 0 : 1);
  out.int2(values.length);
  for (const [index, value] of values.entries()) {
    out.int4(value === null ? -1 : (sizes[index] as number));
    if (typeof value === "string") out.text(value);
    else if (value !== null) out.bytes(value);
  }
  return out.int2(0).bytes(ending).done();
}

/** One message with a script of any number of statements. */
export function writeScript(text: string): Uint8Array<ArrayBuffer> {
  const size = 4 + Buffer.byteLength(text) + 1;
  return makeWriter(1 + size)
    .head("Q", size)
    .cstring(text)
    .done();
}

function makeWriter(size: number) {
  // Not from the shared pool, because the memory is transferred to the thread.
  const out = Buffer.allocUnsafeSlow(size);
  let at = 0;
  const writer = {
    head: (kind: string, length: number) => {
      at = out.writeUInt8(kind.charCodeAt(0), at);
      return writer.int4(length);
    },
    int2: (value: number) => {
      at = out.writeUInt16BE(value, at);
      return writer;
    },
    int4: (value: number) => {
      at = out.writeInt32BE(value, at);
      return writer;
    },
    text: (value: string) => {
      at += out.write(value, at);
      return writer;
    },
    cstring: (value: string) => {
      if (value.includes("\0")) throw new Error("A statement's text contains a NUL character.");
      at += out.write(value, at);
      at = out.writeUInt8(0, at);
      return writer;
    },
    bytes: (value: Uint8Array) => {
      out.set(value, at);
      at += value.length;
      return writer;
    },
    done: () => new Uint8Array(out.buffer as ArrayBuffer),
  };
  return writer;
}

// Describe and execute the portal, then synchronise.
const ending = Buffer.from("D\0\0\0\x06P\0E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04", "latin1");
// Parse, bind and execute "begin", without synchronising: an error skips everything up to the `ending`.
const beginning = Buffer.from(
  "P\0\0\0\x0d\0begin\0\0\0B\0\0\0\x0c\0\0\0\0\0\0\0\0E\0\0\0\x09\0\0\0\0\0",
  "latin1",
);

export interface Answer {
  readonly rows: readonly object[];
  readonly error: Error | undefined;
  /** Number of parsed statements. */
  readonly parsed: number;
  /** Command tag of the last statement, e.g. "COMMIT". */
  readonly command: string;
  readonly notifications: readonly { readonly channel: string; readonly payload: string }[];
  /** False: the database broke off in the middle and cannot be trusted any more. */
  readonly ready: boolean;
}

interface Field {
  readonly name: string;
  readonly parse: Parser;
}

/** Reads PGlite's whole answer to one message. */
export function readAnswer(bytes: Uint8Array): Answer {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const notifications: { channel: string; payload: string }[] = [];
  let rows: object[] = [];
  let fields: readonly Field[] = [];
  let error: Error | undefined;
  let parsed = 0;
  let command = "";
  let ready = false;
  for (let at = 0; at < data.length; ) {
    const kind = data[at];
    const from = at + 5;
    at += 1 + data.readInt32BE(at + 1);
    if (kind === kinds.row) {
      // An error in a value must not stop the reading of the rest.
      try {
        rows.push(readRow(data, from, fields));
      } catch (thrown) {
        error ??= thrown as Error;
      }
    } else if (kind === kinds.fields) {
      fields = readFields(data, from);
      rows = [];
    } else if (kind === kinds.complete) command = data.toString("latin1", from, at - 1);
    else if (kind === kinds.error) error ??= readError(data, from);
    else if (kind === kinds.parsed) parsed += 1;
    else if (kind === kinds.ready) ready = true;
    else if (kind === kinds.notification) notifications.push(readNotification(data, from));
  }
  return { rows, error, parsed, command, notifications, ready };
}

const kinds = {
  row: 0x44, // D
  fields: 0x54, // T
  complete: 0x43, // C
  error: 0x45, // E
  parsed: 0x31, // 1
  ready: 0x5a, // Z
  notification: 0x41, // A
} as const;

function readRow(data: Buffer, from: number, fields: readonly Field[]): object {
  const row: Record<string, unknown> = {};
  let at = from + 2;
  for (const { name, parse } of fields) {
    const length = data.readInt32BE(at);
    at += 4;
    if (length < 0) {
      row[name] = null;
      continue;
    }
    row[name] = parse(data.toString("utf8", at, at + length));
    at += length;
  }
  return row;
}

function readFields(data: Buffer, from: number): readonly Field[] {
  const fields: Field[] = [];
  let at = from + 2;
  for (let count = data.readUInt16BE(from); count > 0; count -= 1) {
    const end = data.indexOf(0, at);
    // After the name: table (4 bytes) and column (2), then the type (4), its size, modifier and format (8).
    fields.push({ name: data.toString("utf8", at, end), parse: parserOf(data.readUInt32BE(end + 7)) });
    at = end + 19;
  }
  return fields;
}

function readNotification(data: Buffer, from: number): { channel: string; payload: string } {
  const channelAt = from + 4;
  const channelEnd = data.indexOf(0, channelAt);
  const payloadEnd = data.indexOf(0, channelEnd + 1);
  return {
    channel: data.toString("utf8", channelAt, channelEnd),
    payload: data.toString("utf8", channelEnd + 1, payloadEnd),
  };
}

/** Named like the error fields of `pg`. */
const errorFields: Readonly<Record<string, string>> = {
  S: "severity",
  C: "code",
  D: "detail",
  H: "hint",
  P: "position",
  W: "where",
  s: "schema",
  t: "table",
  c: "column",
  d: "dataType",
  n: "constraint",
};

function readError(data: Buffer, from: number): Error {
  const found: Record<string, string> = {};
  let message = "The database failed without saying why.";
  for (let at = from; data[at] !== 0; ) {
    const end = data.indexOf(0, at);
    const kind = String.fromCharCode(data[at] as number);
    const value = data.toString("utf8", at + 1, end);
    const name = errorFields[kind];
    if (kind === "M") message = value;
    else if (name !== undefined) found[name] = value;
    at = end + 1;
  }
  return Object.assign(new Error(message), found);
}
