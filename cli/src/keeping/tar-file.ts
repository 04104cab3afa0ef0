import { open } from "node:fs/promises";

/** An entry of a tar: a file with its bytes, or a folder. */
export type TarEntry =
  | { readonly kind: "folder"; readonly name: string }
  | {
      readonly kind: "file";
      readonly name: string;
      readonly size: number;
      readonly bytes: AsyncIterable<Buffer>;
    };

const block = 512;
const sizeMax = 8 ** 11 - 1;

/** The header of an entry, in the format understood by every tar. */
export function tarHeader({
  kind,
  name,
  size,
}: {
  kind: TarEntry["kind"];
  name: string;
  size: number;
}): Buffer {
  const full = kind === "folder" ? `${name}/` : name;
  const cut = full.length <= 100 ? -1 : full.lastIndexOf("/", 155);
  const [prefix, rest] = cut < 0 ? ["", full] : [full.slice(0, cut), full.slice(cut + 1)];
  if (Buffer.byteLength(rest) > 100 || size > sizeMax)
    throw new Error(`${name} does not fit into a tar: its name is too long, or it is too large.`);
  const header = Buffer.alloc(block);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  header.write(rest, 0);
  octal(kind === "folder" ? 0o700 : 0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.write("        ", 148, "latin1");
  header.write(kind === "folder" ? "5" : "0", 156, "latin1");
  header.write("ustar\u000000", 257, "latin1");
  header.write(prefix, 345);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  header.write(" ", 155, "latin1");
  return header;
}

export const tarPadding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block);
export const tarEnd = (): Buffer => Buffer.alloc(2 * block);

/** Exactly `size` bytes of a file: a file that changes meanwhile cannot be kept. */
export async function* readExactly(path: string, size: number): AsyncGenerator<Buffer> {
  const file = await open(path, "r");
  try {
    let left = size;
    while (left > 0) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(left, 1 << 18)), 0);
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read.`);
      left -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Reads a tar from a stream. Read the bytes of an entry before asking for the next entry. */
export async function* readTar(stream: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const source = makeSource(stream);
  for (;;) {
    const header = await source.take(block);
    if (header === null) throw new Error("it ends too early");
    if (header.every((byte) => byte === 0)) return;
    const { name, size, kind } = parseHeader(header);
    if (kind === "folder") {
      yield { kind, name };
      continue;
    }
    const bytes = source.stream(size);
    yield { kind, name, size, bytes };
    for await (const _ of bytes);
    await source.take(tarPadding(size).length);
  }
}

function parseHeader(header: Buffer): { name: string; size: number; kind: TarEntry["kind"] } {
  const text = (at: number, length: number) => header.toString("utf8", at, at + length).replace(/\0.*$/s, "");
  const said = Number.parseInt(text(148, 8), 8);
  const sum = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  const type = text(156, 1);
  const size = Number.parseInt(text(124, 12), 8);
  if (said !== sum || (type !== "0" && type !== "5") || !Number.isSafeInteger(size))
    throw new Error("it holds something that no backup has");
  const prefix = text(345, 155);
  const name = (prefix ? `${prefix}/${text(0, 100)}` : text(0, 100)).replace(/\/$/, "");
  return { name, size, kind: type === "5" ? "folder" : "file" };
}

/** A stream of pieces of any length, read in requested lengths. */
function makeSource(stream: AsyncIterable<Buffer>) {
  const pieces = stream[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  async function more(): Promise<boolean> {
    const { value, done } = await pieces.next();
    if (done) return false;
    held = held.length === 0 ? value : Buffer.concat([held, value]);
    return true;
  }
  async function take(length: number): Promise<Buffer | null> {
    while (held.length < length) if (!(await more())) return null;
    const taken = held.subarray(0, length);
    held = held.subarray(length);
    return taken;
  }
  async function* rest(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (held.length === 0 && !(await more())) throw new Error("it ends too early");
      const piece = held.subarray(0, left);
      held = held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
  return { take, stream: rest };
}
