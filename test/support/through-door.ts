import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFolderHolder } from "../../engine/src/databases/folder-lock.ts";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import { openRemote, type RemoteDatabase } from "../../engine/src/databases/remote.ts";
import { shareDatabase } from "../../engine/src/databases/share.ts";

/** The owner of an embedded database and a remote client, in one process. */
export async function openThroughDoor(): Promise<RemoteDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "headway-door-"));
  const owner = await openPglite({ folder, inline: true });
  const sharing = await shareDatabase(owner);
  const holder = await readFolderHolder(folder);
  const remote = holder && (await openRemote(folder, holder));
  if (!remote) throw new Error("Nobody let us in.");
  return {
    ...remote,
    async close() {
      await remote.close();
      await sharing?.close();
      await owner.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
