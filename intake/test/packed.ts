import { crc32, deflateRawSync } from "node:zlib";

/** A part of a generated archive; every computed field can be overridden. */
export interface Part {
  readonly name: string | Buffer;
  readonly data?: string | Buffer;
  /** Of a tar entry: `0` is a file, `2` a link. */
  readonly type?: string;
  readonly size?: number;
  /** Of a zip entry. */
  readonly encrypted?: boolean;
  readonly unixMode?: number;
  readonly stored?: boolean;
  readonly crc?: number;
  /** For a zip entry: shares the data of an earlier entry, as in bombs. */
  readonly shares?: number;
}

export function makeTar(parts: readonly Part[]): Buffer {
  return Buffer.concat([...parts.flatMap(tarEntry), Buffer.alloc(1024)]);
}

function tarEntry(part: Part): Buffer[] {
  const data = Buffer.from(part.data ?? "");
  const block = Buffer.alloc(512);
  Buffer.from(part.name).copy(block, 0, 0, 100);
  block.write("0000644\x000000000\x000000000\0", 100, "latin1");
  block.write(`${(part.size ?? data.length).toString(8).padStart(11, "0")}\0`, 124, "latin1");
  block.write("10000000000\0", 136, "latin1");
  block.write(part.type ?? "0", 156, "latin1");
  block.write("ustar\x0000", 257, "latin1");
  block.write("        ", 148, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return [block, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
}

/** A pax record counts its own length. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (String(length).length + Buffer.byteLength(rest) !== length) {
    length = String(length).length + Buffer.byteLength(rest);
  }
  return `${length}${rest}`;
}

export function makeZip(parts: readonly Part[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  const laid: {
    readonly offset: number;
    readonly data: Buffer;
    readonly packed: Buffer;
    readonly crc: number;
  }[] = [];
  let offset = 0;
  for (const part of parts) {
    const data = Buffer.from(part.data ?? "");
    const packed = () => (part.stored ? data : deflateRawSync(data));
    const fresh = () => ({ offset, data, packed: packed(), crc: crc32(data) });
    const body = part.shares === undefined ? fresh() : (laid[part.shares] ?? fresh());
    laid.push(body);
    const fields = zipFields(part, body);
    directory.push(directoryEntry(part, fields, body.offset));
    if (part.shares !== undefined) continue;
    const name = Buffer.from(part.name);
    const local = Buffer.concat([Buffer.from("504b0304", "hex"), fields, Buffer.alloc(2), name, body.packed]);
    bodies.push(local);
    offset += local.length;
  }
  return Buffer.concat([
    ...bodies,
    ...directory,
    zipEnd(parts.length, Buffer.concat(directory).length, offset),
  ]);
}

/** Fields common to both places: version, flags, method, time, checksum, sizes and the length of the name. */
function zipFields(part: Part, body: { data: Buffer; packed: Buffer; crc: number }): Buffer {
  const { data, packed, crc } = body;
  const fields = Buffer.alloc(24);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE((part.encrypted ? 1 : 0) | 0x800, 2);
  fields.writeUInt16LE(part.stored ? 0 : 8, 4);
  fields.writeUInt16LE(0x21, 8);
  fields.writeUInt32LE(part.crc ?? crc, 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(part.size ?? data.length, 18);
  fields.writeUInt16LE(Buffer.from(part.name).length, 22);
  return fields;
}

function directoryEntry(part: Part, fields: Buffer, offset: number): Buffer {
  const rest = Buffer.alloc(16);
  rest.writeUInt32LE(((part.unixMode ?? 0o100644) << 16) >>> 0, 8);
  rest.writeUInt32LE(offset, 12);
  const madeBy = Buffer.from([20, 3]);
  return Buffer.concat([Buffer.from("504b0102", "hex"), madeBy, fields, rest, Buffer.from(part.name)]);
}

function zipEnd(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}
