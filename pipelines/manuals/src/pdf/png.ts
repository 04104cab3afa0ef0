import { crc32, deflateSync } from "node:zlib";

/** Pixels as PDFium paints: blue, green, red and an unused byte, row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

/** A PNG of 8-bit colours, without an alpha channel. */
export function writePng({ width, height, bytes }: Pixels): Buffer {
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0, to = 0, from = 0; y < height; y++) {
    // Each byte as the difference to its neighbour above: pages are mostly white.
    rows[to++] = y === 0 ? 0 : 2;
    for (let x = 0; x < width; x++, from += 4)
      for (const channel of [2, 1, 0]) {
        const above = y === 0 ? 0 : (bytes[from + channel - 4 * width] ?? 0);
        rows[to++] = (bytes[from + channel] ?? 0) - above;
      }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows, { level: 4 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), body]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(body.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}
