/** Bytes as a text of one character each, in which a NUL, which a database cannot hold, is U+0100. */
export function packRaw(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  return text.includes("\0") ? text.replaceAll("\0", "\u0100") : text;
}

/** The bytes that `packRaw` was given: its own U+0100 falls on the byte 0 when it is cut to eight bits. */
export const unpackRaw = (raw: string): Buffer => Buffer.from(raw, "latin1");
