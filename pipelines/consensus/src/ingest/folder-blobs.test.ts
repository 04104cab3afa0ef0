import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, open, readdir, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFolderBlobs } from "./folder-blobs.ts";

const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

async function* pieces(...all: readonly (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const piece of all) yield Buffer.from(piece as string);
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of source) all.push(piece);
  return Buffer.concat(all);
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headway-blobs-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** All files below the folder. */
async function files(): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

describe("blobs in a folder", () => {
  it("what was put is read back, under the hash of what it is", async () => {
    const blobs = await openFolderBlobs(folder);
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

  it("a stream larger than what is held in memory is read back", async () => {
    const blobs = await openFolderBlobs(folder);
    const part = Buffer.alloc(700_000, "mail ");
    const { sha256: hash, size } = await blobs.put(pieces(part, part, part, "end"));
    expect(size).toBe(2_100_003);
    expect(sha256(await collect(blobs.open(hash)))).toBe(hash);
    expect(await files()).toHaveLength(1);
  });

  it("a source may fill its buffer again while a stream is stored", async () => {
    const blobs = await openFolderBlobs(folder);
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

  it("the same content twice is one file", async () => {
    const blobs = await openFolderBlobs(folder);
    expect((await blobs.put(pieces("a", "bc"))).fresh).toBe(true);
    expect((await blobs.put(pieces("abc"))).fresh).toBe(false);
    const both = await Promise.all([blobs.put(pieces("new")), blobs.put(pieces("new"))]);
    expect(new Set(both.map((each) => each.sha256)).size).toBe(1);
    expect(await files()).toHaveLength(2);
  });

  it("files are for their owner only", async () => {
    const blobs = await openFolderBlobs(join(folder, "deep", "store"));
    const { sha256: hash } = await blobs.put(pieces("secret"));
    const home = join(folder, "deep", "store", hash.slice(0, 2));
    expect((await stat(join(home, hash.slice(2)))).mode & 0o777).toBe(0o600);
    expect((await stat(home)).mode & 0o777).toBe(0o700);
  });

  it("a missing blob is a permanent fault, and so is a name that is no hash", async () => {
    const blobs = await openFolderBlobs(folder);
    await writeFile(join(folder, "ssword"), "x");
    for (const name of [sha256("never"), "../../etc/passwd", "", "..", sha256("x").toUpperCase()]) {
      await expect(collect(blobs.open(name))).rejects.toMatchObject({
        kind: "permanent",
        code: "blob.missing",
      });
      expect(await blobs.has(name)).toBe(false);
      await blobs.remove(name);
    }
  });

  it("a damaged blob is told at its end, and putting a cut one again heals it", async () => {
    const blobs = await openFolderBlobs(folder);
    const { sha256: hash } = await blobs.put(pieces("From someone"));
    const path = join(folder, hash.slice(0, 2), hash.slice(2));
    await writeFile(path, "From nobody!");
    await expect(collect(blobs.open(hash))).rejects.toMatchObject({
      kind: "permanent",
      code: "blob.damaged",
    });
    await truncate(path, 3);
    expect((await blobs.put(pieces("From someone"))).fresh).toBe(true);
    expect((await collect(blobs.open(hash))).toString()).toBe("From someone");
  });

  it("a removed blob is gone", async () => {
    const blobs = await openFolderBlobs(folder);
    const { sha256: hash } = await blobs.put(pieces("x"));
    expect(await blobs.has(hash)).toBe(true);
    await blobs.remove(hash);
    expect(await blobs.has(hash)).toBe(false);
  });
});

describe("a put that does not end well leaves nothing", () => {
  const large = Buffer.alloc(900_000, 1);

  it("when it is aborted in the middle", async () => {
    const blobs = await openFolderBlobs(folder);
    const stop = new AbortController();
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (let count = 0; ; count += 1) {
        if (count === 4) stop.abort(new Error("enough"));
        yield large;
      }
    }
    await expect(blobs.put(endless(), { signal: stop.signal })).rejects.toThrow("enough");
    expect(await files()).toEqual([]);
  });

  it("when its source fails", async () => {
    const blobs = await openFolderBlobs(folder);
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield large;
      yield large;
      throw new Error("the source broke");
    }
    await expect(blobs.put(failing())).rejects.toThrow("the source broke");
    expect(await files()).toEqual([]);
  });

  it("when it is too large", async () => {
    const blobs = await openFolderBlobs(folder);
    const putting = blobs.put(pieces(large, large), { bytesMax: 1_000_000 });
    await expect(putting).rejects.toMatchObject({ kind: "permanent", code: "blob.too-large" });
    expect(await files()).toEqual([]);
  });

  it.skipIf(!existsSync("/dev/full"))("when the disk is full, and says so", async () => {
    const blobs = await openFolderBlobs(folder, { create: () => open("/dev/full", "w") });
    for (const source of [pieces("small"), pieces(large, large)]) {
      await expect(blobs.put(source)).rejects.toMatchObject({
        kind: "transient",
        code: "blob.disk-full",
        message: `No space is left for blobs in ${folder}: make room and try again.`,
      });
    }
    expect(await files()).toEqual([]);
  });
});

it("what a dead process left behind is removed when it is older than a day", async () => {
  await openFolderBlobs(folder);
  const [old, young] = [join(folder, "tmp", "old"), join(folder, "tmp", "young")];
  await writeFile(old, "half");
  await writeFile(young, "half");
  const dayAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
  await utimes(old, dayAgo, dayAgo);
  await openFolderBlobs(folder);
  expect(await readdir(join(folder, "tmp"))).toEqual(["young"]);
});
