import { existsSync } from "node:fs";
import { mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openFolderBlobs } from "./folder-blobs.ts";

// The contract of blob stores is in test/conformance/blobs.ts; here are tests specific to files.

async function* pieces(...all: readonly (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const piece of all) yield Buffer.from(piece as string);
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headway-blobs-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("files are for their owner only", async () => {
  const blobs = await openFolderBlobs(join(folder, "deep", "store"));
  const { sha256 } = await blobs.put(pieces("secret"));
  const home = join(folder, "deep", "store", sha256.slice(0, 2));
  expect((await stat(join(home, sha256.slice(2)))).mode & 0o777).toBe(0o600);
  expect((await stat(home)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, "deep"))).mode & 0o777).toBe(0o700);
});

it("looking makes no folder", async () => {
  const blobs = await openFolderBlobs(join(folder, "store"));
  expect(await blobs.list()).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

it.skipIf(!existsSync("/dev/full"))("a full disk is told, and leaves nothing", async () => {
  const blobs = await openFolderBlobs(folder, { create: () => open("/dev/full", "w") });
  const large = Buffer.alloc(900_000, 1);
  for (const source of [pieces("small"), pieces(large, large)]) {
    await expect(blobs.put(source)).rejects.toMatchObject({
      kind: "transient",
      code: "blob.disk-full",
      message: `No space is left for blobs in ${folder}: make room and try again.`,
    });
  }
  expect(await readdir(join(folder, "tmp"))).toEqual([]);
});
