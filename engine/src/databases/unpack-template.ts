import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, normalize, sep } from "node:path";

const blockBytes = 512;

/**
 * Writes the files of a template to an empty folder. PGlite can do so itself, but keeps 250 MB of memory from then on: a
 * folder that is opened as existing needs far less.
 */
export async function unpackTemplate(tar: Uint8Array, folder: string): Promise<void> {
  const bytes = Buffer.from(tar.buffer, tar.byteOffset, tar.byteLength);
  let at = 0;
  while (at + blockBytes <= bytes.length && bytes[at] !== 0) {
    const { path, size, isFolder } = readHeader(bytes.subarray(at, at + blockBytes));
    const target = join(folder, path);
    if (target !== folder && !target.startsWith(folder + sep))
      throw new Error(`The template has a file outside of its folder: ${path}.`);
    const content = bytes.subarray(at + blockBytes, at + blockBytes + size);
    if (content.length < size) throw new Error("The template is cut short.");
    await mkdir(isFolder ? target : dirname(target), { recursive: true, mode: 0o700 });
    if (!isFolder) await writeFile(target, content, { mode: 0o600 });
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
  }
}

function readHeader(header: Buffer) {
  const field = (start: number, length: number): string => {
    const text = header.toString("latin1", start, start + length);
    const end = text.indexOf("\0");
    return end < 0 ? text : text.slice(0, end);
  };
  const prefix = field(257, 5) === "ustar" ? field(345, 155) : "";
  const kind = field(156, 1);
  if (kind !== "" && kind !== "0" && kind !== "5")
    throw new Error(`The template has an entry of kind ${kind}.`);
  const size = Number.parseInt(field(124, 12).trim() || "0", 8);
  if (!Number.isSafeInteger(size)) throw new Error("The template has a file without a size.");
  return {
    path: normalize(join(prefix, field(0, 100))),
    size: kind === "5" ? 0 : size,
    isFolder: kind === "5",
  };
}
