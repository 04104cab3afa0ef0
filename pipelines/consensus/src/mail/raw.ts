/** Bytes as text of one character each, with U+0100 for NUL, which a database cannot hold. */
export function packRaw(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  return text.includes("\0") ? text.replaceAll("\0", "\u0100") : text;
}

/** The inverse of `packRaw`: U+0100 becomes byte 0 when cut to eight bits. */
export const unpackRaw = (raw: string): Buffer => Buffer.from(raw, "latin1");
