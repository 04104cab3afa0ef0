/** Packing of a file, by its first bytes and not by its name. */
export type Packing =
  | { readonly kind: "none" }
  | { readonly kind: "gzip" }
  | { readonly kind: "zip" }
  | { readonly kind: "tar" }
  /** Known, but not supported here. */
  | { readonly kind: "foreign"; readonly name: string; readonly tool: string };

const foreign: readonly { readonly magic: string; readonly name: string; readonly tool: string }[] = [
  { magic: "425a68", name: "bzip2", tool: "bunzip2" },
  { magic: "fd377a585a00", name: "xz", tool: "unxz" },
  { magic: "5d00008000", name: "lzma", tool: "unlzma" },
  { magic: "28b52ffd", name: "Zstandard", tool: "unzstd" },
  { magic: "377abcaf271c", name: "7-Zip", tool: "7z x" },
  { magic: "526172211a07", name: "RAR", tool: "unrar x" },
  { magic: "1f9d", name: "compress", tool: "uncompress" },
  { magic: "4c5a4950", name: "lzip", tool: "lzip -d" },
  { magic: "04224d18", name: "LZ4", tool: "unlz4" },
  { magic: "2142444e", name: "Outlook (.pst)", tool: "readpst" },
];

export const tarBlockBytes = 512;

export function tellPacking(head: Buffer): Packing {
  if (startsWith(head, "1f8b")) return { kind: "gzip" };
  if (startsWith(head, "504b0304") || startsWith(head, "504b0506")) return { kind: "zip" };
  const known = foreign.find(({ magic }) => startsWith(head, magic));
  // "BZh" may begin a word; in a real file a digit and the digits of pi follow.
  if (known && (known.name !== "bzip2" || isBzip2(head))) {
    return { kind: "foreign", name: known.name, tool: known.tool };
  }
  return head.length >= tarBlockBytes && hasTarChecksum(head) ? { kind: "tar" } : { kind: "none" };
}

/** Whether a block is the header of a tar entry: its bytes match the stated checksum, signed or unsigned. */
export function hasTarChecksum(block: Buffer): boolean {
  const stated = Number.parseInt(block.toString("latin1", 148, 156).replaceAll("\0", " ").trim() || "x", 8);
  if (!Number.isSafeInteger(stated)) return false;
  let unsigned = 0;
  let signed = 0;
  for (let at = 0; at < tarBlockBytes; at += 1) {
    const byte = at >= 148 && at < 156 ? 0x20 : (block[at] as number);
    unsigned += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  return stated === unsigned || stated === signed;
}

const startsWith = (head: Buffer, hex: string) => head.toString("hex", 0, hex.length / 2) === hex;

const isBzip2 = (head: Buffer) =>
  head.length < 10 || ["314159265359", "177245385090"].includes(head.toString("hex", 4, 10));
