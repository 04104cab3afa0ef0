import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** A place for blobs. */
export interface Disk {
  readonly folder: string;
  /** It is a disk of its own, which can be filled without anybody else noticing. */
  readonly small: boolean;
  close(): Promise<void>;
}

export async function openDisk(): Promise<Disk> {
  const folder = await mkdtemp(join(tmpdir(), "headway-disk-"));
  const small = await execute("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", folder]).then(
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
