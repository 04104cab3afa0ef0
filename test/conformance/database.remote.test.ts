import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { readFolderHolder } from "../../engine/src/store/folder-lock.ts";
import { openPglite } from "../../engine/src/store/pglite.ts";
import { openRemote } from "../../engine/src/store/remote.ts";
import { shareDatabase } from "../../engine/src/store/share.ts";
import { describeDatabase } from "./database.ts";

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** The owner of the database and the one who comes through its door, in one process. */
async function openThroughDoor() {
  const folder = await mkdtemp(join(tmpdir(), "headway-door-"));
  folders.push(folder);
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
    },
  };
}

describeDatabase("PGlite of another process", openThroughDoor);
