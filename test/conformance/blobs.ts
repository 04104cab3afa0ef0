import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Blobs } from "../../intake/src/blobs.ts";

/** A blob store, with access behind its back. */
export interface BlobShelf {
  /** Opens the store at this time. */
  open(now?: number): Promise<Blobs>;
  /** Number of stored blobs, invisible drafts included. */
  count(): Promise<number>;
  /** Replaces a blob's bytes by as many, or fewer. */
  spoil(sha256: string, bytes: Buffer): Promise<void>;
  /** Leaves the draft of a process killed at this time while storing these bytes. */
  leaveHalf(whole: Buffer, at: Date): Promise<void>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

export const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

export async function* pieces(...all: readonly (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const piece of all) yield Buffer.from(piece as string);
}

export async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of source) all.push(piece);
  return Buffer.concat(all);
}

const dayMs = 24 * 60 * 60 * 1000;

/** The contract of a blob store of any kind. */
export function describeBlobs(kind: string, make: () => Promise<BlobShelf>): void {
  let shelf: BlobShelf;
  let blobs: Blobs;
  beforeAll(async () => {
    shelf = await make();
  });
  beforeEach(async () => {
    await shelf.empty();
    blobs = await shelf.open();
  });
  afterAll(() => shelf.close());

  describe(`blobs in ${kind}`, () => {
    it("what was put is read back, under the hash of what it is", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 500 }), { maxLength: 8 }), async (parts) => {
          const whole = Buffer.concat(parts);
          const stored = await blobs.put(pieces(...parts));
          expect(stored).toMatchObject({ sha256: sha256(whole), size: whole.length });
          expect(await collect(blobs.open(stored.sha256))).toEqual(whole);
        }),
        { numRuns: 25 },
      );
    });

    it.each([1 << 20, (1 << 20) + 1, 2 << 20, 2_100_003])(
      "a stream of %i bytes is read back, and is one blob",
      async (size) => {
        const whole = Buffer.alloc(size, "mail and more ");
        const parts = [whole.subarray(0, 700_000), whole.subarray(700_000)];
        expect(await blobs.put(pieces(...parts))).toEqual({ sha256: sha256(whole), size, fresh: true });
        expect(sha256(await collect(blobs.open(sha256(whole))))).toBe(sha256(whole));
        expect(await blobs.put(pieces(...parts))).toMatchObject({ fresh: false });
        expect(await shelf.count()).toBe(1);
      },
    );

    it("a source may fill its buffer again while a stream is stored", async () => {
      async function* reusing(): AsyncGenerator<Uint8Array> {
        const buffer = Buffer.alloc(4);
        for (const word of ["one.", "two.", "six."]) {
          buffer.write(word);
          yield buffer;
        }
      }
      const { sha256: hash } = await blobs.put(reusing());
      expect((await collect(blobs.open(hash))).toString()).toBe("one.two.six.");
    });

    it("the same content twice is one blob, also at the same time", async () => {
      expect((await blobs.put(pieces("a", "bc"))).fresh).toBe(true);
      expect((await blobs.put(pieces("abc"))).fresh).toBe(false);
      const large = Buffer.alloc(1_500_000, "twice");
      const both = await Promise.all([blobs.put(pieces(large)), (await shelf.open()).put(pieces(large))]);
      expect(both.map((each) => each.sha256)).toEqual([sha256(large), sha256(large)]);
      expect(sha256(await collect(blobs.open(sha256(large))))).toBe(sha256(large));
      expect((await blobs.list()).sort()).toEqual([sha256("abc"), sha256(large)].sort());
      expect(await shelf.count()).toBe(2);
    });

    it("a missing blob is a permanent fault, and so is a name that is no hash", async () => {
      for (const name of [sha256("never"), "../ssword", "", "AB".repeat(32), `${"ab".repeat(32)}/x`]) {
        await expect(collect(blobs.open(name))).rejects.toMatchObject({
          kind: "permanent",
          code: "blob.missing",
        });
        expect(await blobs.has(name)).toBe(false);
        await blobs.remove(name);
      }
    });

    it("a damaged blob is told at its end, and putting a cut one again heals it", async () => {
      const { sha256: hash } = await blobs.put(pieces("From someone"));
      const damaged = { kind: "permanent", code: "blob.damaged" };
      await shelf.spoil(hash, Buffer.from("From nobody!"));
      await expect(collect(blobs.open(hash))).rejects.toMatchObject(damaged);
      await shelf.spoil(hash, Buffer.from("Fro"));
      await expect(collect(blobs.open(hash))).rejects.toMatchObject(damaged);
      expect((await blobs.put(pieces("From someone"))).fresh).toBe(true);
      expect((await collect(blobs.open(hash))).toString()).toBe("From someone");
    });

    it("a removed blob is gone, and can be put again", async () => {
      const { sha256: hash } = await blobs.put(pieces("x"));
      expect(await blobs.has(hash)).toBe(true);
      await blobs.remove(hash);
      expect(await blobs.has(hash)).toBe(false);
      expect(await blobs.list()).toEqual([]);
      expect(await shelf.count()).toBe(0);
      expect((await blobs.put(pieces("x"))).fresh).toBe(true);
    });

    it("what a killed process wrote in half is not seen, and is cleared away after a day", async () => {
      const whole = Buffer.alloc(2_500_000, "half");
      const at = new Date();
      await shelf.leaveHalf(whole, at);
      expect(await blobs.has(sha256(whole))).toBe(false);
      expect(await blobs.list()).toEqual([]);
      await expect(collect(blobs.open(sha256(whole)))).rejects.toMatchObject({ code: "blob.missing" });
      await (await shelf.open(at.getTime() + dayMs - 1_000)).put(pieces("young"));
      expect(await shelf.count()).toBe(2);
      await (await shelf.open(at.getTime() + dayMs + 1_000)).put(pieces("old"));
      expect(await shelf.count()).toBe(2);
      expect((await blobs.list()).sort()).toEqual([sha256("old"), sha256("young")].sort());
    });

    it("what was written in half is put again as if it were not there", async () => {
      const whole = Buffer.alloc(2_500_000, "half");
      await shelf.leaveHalf(whole, new Date());
      expect((await blobs.put(pieces(whole))).fresh).toBe(true);
      expect(sha256(await collect(blobs.open(sha256(whole))))).toBe(sha256(whole));
    });
  });

  describe(`a put into ${kind} that does not end well leaves nothing`, () => {
    const large = Buffer.alloc(900_000, 1);

    it("when it is aborted in the middle", async () => {
      const stop = new AbortController();
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (let count = 0; ; count += 1) {
          if (count === 4) stop.abort(new Error("enough"));
          yield large;
        }
      }
      await expect(blobs.put(endless(), { signal: stop.signal })).rejects.toThrow("enough");
      expect(await shelf.count()).toBe(0);
    });

    it("when its source fails", async () => {
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield large;
        yield large;
        throw new Error("the source broke");
      }
      await expect(blobs.put(failing())).rejects.toThrow("the source broke");
      expect(await shelf.count()).toBe(0);
    });

    it("when it is too large", async () => {
      const putting = blobs.put(pieces(large, large), { bytesMax: 1_000_000 });
      await expect(putting).rejects.toMatchObject({ kind: "permanent", code: "blob.too-large" });
      expect(await shelf.count()).toBe(0);
    });
  });
}
