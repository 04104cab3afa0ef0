import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** A place for blobs. */
export interface Disk {
  readonly folder: string;
  /** A separate disk, which can be filled without affecting anything else. */
  readonly small: boolean;
  close(): Promise<void>;
}

export async function openDisk(size = "16m"): Promise<Disk> {
  const folder = await mkdtemp(join(tmpdir(), "headway-disk-"));
  const small = await execute("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]).then(
    () => true,
    () => false,
  );
  return {
    folder,
    small,
    async close() {
      if (small) await execute("umount", ["-l", folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
