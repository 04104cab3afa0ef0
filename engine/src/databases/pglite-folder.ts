import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FolderLock } from "./folder-lock.ts";
import { lockFolder } from "./folder-lock.ts";
import type { Link } from "./pglite-link.ts";
import { openInline, openThread } from "./pglite-link.ts";
import { dropTemplate, readTemplate, writeTemplate } from "./pglite-template.ts";
import { unpackTemplate } from "./unpack-template.ts";
import { writeScript } from "./wire.ts";

export interface Opened {
  readonly link: Link;
  readonly lock: FolderLock | null;
}

/** Starts PGlite on a folder locked by this process, or in memory. */
export async function openData(options: { folder: string | null; inline: boolean }): Promise<Opened> {
  const { folder, inline } = options;
  const openLink = inline ? openInline : openThread;
  if (folder === null) return { link: await openFresh(null, openLink), lock: null };
  const lock = await lockFolder(folder);
  try {
    const link = await openFolder(lock.folder, openLink);
    lock.onLost((reason) => link.giveUp(reason));
    return { link, lock };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** The data are in a subfolder, beside the lock. */
async function openFolder(folder: string, openLink: typeof openThread): Promise<Link> {
  const data = join(folder, "data");
  const unfinished = join(folder, "unfinished");
  // Created only in part: never reported as usable, so nothing is lost.
  if (existsSync(unfinished)) await rm(data, { recursive: true, force: true });
  else if (existsSync(join(data, "PG_VERSION"))) return openLink({ folder: data, template: null });
  await writeFile(unfinished, "", { mode: 0o600 });
  await mkdir(data, { recursive: true, mode: 0o700 });
  const link = await openFresh(data, openLink);
  await rm(unfinished);
  return link;
}

/** From the template, if any; otherwise the slow way, leaving a template for the next start. */
async function openFresh(folder: string | null, openLink: typeof openThread): Promise<Link> {
  const template = await readTemplate();
  if (template) {
    try {
      if (folder === null) return await openLink({ folder, template });
      await unpackTemplate(template, folder);
      return await openLink({ folder, template: null });
    } catch {
      await dropTemplate();
      if (folder !== null) await emptied(folder);
    }
  }
  const link = await openLink({ folder, template: null });
  // After a checkpoint a start from the template has nothing to recover.
  await link.exchange(writeScript("checkpoint"));
  await writeTemplate(await link.dump());
  return link;
}

async function emptied(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
}
