import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFolderBlobs } from "../../intake/src/folder-blobs.ts";
import { describeBlobs } from "./blobs.ts";

describeBlobs("a folder", async () => {
  const outside = await mkdtemp(join(tmpdir(), "headway-blobs-"));
  const folder = join(outside, "blobs");
  // A name that is no hash must not lead here.
  await writeFile(join(outside, "ssword"), "x");
  return {
    open: (now = Date.now()) => openFolderBlobs(folder, { now: () => now }),
    async count() {
      const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      return found.filter((entry) => entry.isFile()).length;
    },
    spoil: (sha256, bytes) => writeFile(join(folder, sha256.slice(0, 2), sha256.slice(2)), bytes),
    async leaveHalf(whole, at) {
      const path = join(folder, "tmp", "half");
      await mkdir(join(folder, "tmp"), { recursive: true });
      await writeFile(path, whole.subarray(0, whole.length / 2));
      await utimes(path, at, at);
    },
    empty: () => rm(folder, { recursive: true, force: true }),
    close: () => rm(outside, { recursive: true, force: true }),
  };
});
