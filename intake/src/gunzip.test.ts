import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeByteReader } from "./byte-reader.ts";
import { gunzip } from "./gunzip.ts";
import { defaultLimits, makeBudget } from "./limits.ts";

async function unpack(bytes: Buffer, { pieceSize = 700, limits = {} } = {}): Promise<string> {
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += pieceSize) yield bytes.subarray(at, at + pieceSize);
  }
  const all: Buffer[] = [];
  const budget = makeBudget({
    place: "x.gz",
    packedBytes: bytes.length,
    limits: { ...defaultLimits, ...limits },
  });
  for await (const piece of gunzip(makeByteReader(pieces()), "x.gz", budget)) all.push(piece);
  return Buffer.concat(all).toString("latin1");
}

describe("gzip files", () => {
  it("members follow each other, whatever the pieces, and what lies behind the last is ignored", async () => {
    const behind = fc.constantFrom("", "\0".repeat(600), "garbage, and a lot of it", "\x1f", "From x");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 3000 }), { minLength: 1, maxLength: 4 }),
        behind,
        fc.integer({ min: 1, max: 2000 }),
        async (texts, tail, pieceSize) => {
          const packed = Buffer.concat([...texts.map((text) => gzipSync(text)), Buffer.from(tail, "latin1")]);
          expect(await unpack(packed, { pieceSize })).toBe(Buffer.from(texts.join("")).toString("latin1"));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("a header with a name, a comment, extra bytes and a checksum is passed over", async () => {
    const plain = gzipSync("mail");
    const header = Buffer.concat([
      plain.subarray(0, 3),
      Buffer.from([2 | 4 | 8 | 16]),
      plain.subarray(4, 10),
      Buffer.from("\x03\x00abcname\0comment\0##", "latin1"),
    ]);
    expect(await unpack(Buffer.concat([header, plain.subarray(10)]), { pieceSize: 3 })).toBe("mail");
  });

  it("every cut is told", async () => {
    const packed = gzipSync("mail ".repeat(50));
    for (let size = 10; size < packed.length; size += 1) {
      await expect(unpack(packed.subarray(0, size))).rejects.toMatchObject({
        code: "archive.damaged",
        message: "x.gz is cut off in the middle of its compressed data: copy or download it again.",
      });
    }
  });

  it("a flipped bit is told", async () => {
    const packed = gzipSync(Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919) % 251)));
    for (const at of [20, packed.length >> 1, packed.length - 6, packed.length - 2]) {
      const broken = Buffer.from(packed);
      broken[at] = (broken[at] as number) ^ 0x10;
      await expect(unpack(broken)).rejects.toMatchObject({ code: "archive.damaged" });
    }
  });

  it("endless little members hit a limit", async () => {
    const packed = Buffer.concat(Array<Buffer>(300).fill(gzipSync("")));
    expect(await unpack(packed)).toBe("");
    await expect(unpack(packed, { limits: { membersMax: 200 } })).rejects.toMatchObject({
      code: "archive.bomb",
    });
  });

  it("reading may be given up in the middle", async () => {
    let closed = false;
    async function* source(): AsyncGenerator<Buffer> {
      try {
        const packed = gzipSync(Buffer.alloc(3_000_000));
        for (let at = 0; at < packed.length; at += 100) yield packed.subarray(at, at + 100);
      } finally {
        closed = true;
      }
    }
    const reader = makeByteReader(source());
    const budget = makeBudget({ place: "x", packedBytes: 1e9, limits: defaultLimits });
    for await (const _ of gunzip(reader, "x", budget)) break;
    await reader.close();
    expect(closed).toBe(true);
  });
});
