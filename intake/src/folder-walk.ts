import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { showName, stripPacking } from "./archive-key.ts";
import type { Recogniser } from "./recogniser.ts";
import { refusePath } from "./refusal.ts";

/** A folder's entry: a readable file, or the reason for skipping. */
export type WalkedFile =
  | {
      readonly kind: "file";
      readonly path: string;
      /** Names of folders from the outside in, and the file's own name last. */
      readonly names: readonly string[];
      /** The name without the compression suffix belongs to another file beside. */
      readonly keepsSuffix: boolean;
      readonly size: number;
      readonly modifiedMs: number;
    }
  | { readonly kind: "skipped"; readonly place: string; readonly because: string };

export interface WalkOptions {
  readonly recogniser: Recogniser;
  readonly signal?: AbortSignal;
}

const depthMax = 64;

/** All files of a folder and its subfolders, in order of names; links are not followed. */
export async function* walkFolder(root: string, options: WalkOptions): AsyncGenerator<WalkedFile> {
  const top = await realpath(root).catch((error) => {
    throw refusePath(root, error);
  });
  const { recogniser, signal } = options;
  yield* walk({ root, top, names: [], recogniser, signal });
}

interface Stop {
  readonly root: string;
  /** Real path of the root, to detect links out of the root. */
  readonly top: string;
  readonly names: readonly string[];
  readonly recogniser: Recogniser;
  readonly signal: AbortSignal | undefined;
}

async function* walk(stop: Stop): AsyncGenerator<WalkedFile> {
  const { root, names, recogniser, signal } = stop;
  const folder = join(root, ...names);
  if (names.length > depthMax) return yield skipped(folder, `lies more than ${depthMax} folders deep`);
  const found = await list(folder);
  if ("error" in found) {
    if (names.length === 0) throw refusePath(folder, found.error);
    return yield {
      kind: "skipped",
      place: showName(folder),
      because: refusePath(folder, found.error).message,
    };
  }
  if (hasFolder(found, "data") && hasFolder(found, "blobs"))
    return yield skipped(folder, "is a data folder of Headway");
  const isMaildir = hasFolder(found, "cur") && (hasFolder(found, "new") || hasFolder(found, "tmp"));
  const siblings = new Set(found.map(({ name }) => name));
  for (const entry of found) {
    signal?.throwIfAborted();
    const because = entry.isDirectory()
      ? avoid(entry.name, isMaildir)
      : complainAboutName(entry.name, recogniser);
    if (because !== null) yield skipped(join(folder, entry.name), because);
    else if (entry.isDirectory()) yield* walk({ ...stop, names: [...names, entry.name] });
    else yield await look(stop, entry, siblings);
  }
}

async function list(folder: string): Promise<Dirent[] | { readonly error: unknown }> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    return { error };
  }
}

async function look(stop: Stop, entry: Dirent, siblings: ReadonlySet<string>): Promise<WalkedFile> {
  const path = join(stop.root, ...stop.names, entry.name);
  if (entry.isSymbolicLink()) return skipped(path, await describeLink(path, stop.top));
  if (!entry.isFile()) return skipped(path, "is neither a file nor a folder");
  try {
    const { size, mtimeMs } = await stat(path);
    const stripped = stripPacking(entry.name);
    return {
      kind: "file",
      path,
      names: [...stop.names, entry.name],
      keepsSuffix: stripped !== entry.name && siblings.has(stripped),
      size,
      modifiedMs: mtimeMs,
    };
  } catch (error) {
    return { kind: "skipped", place: showName(path), because: refusePath(showName(path), error).message };
  }
}

async function describeLink(path: string, top: string): Promise<string> {
  try {
    const way = relative(top, await realpath(path));
    const isInside = way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith(sep);
    return isInside
      ? "is a link to something in the same folder, which is read in its own place"
      : "is a link that leads out of the folder: name what it leads to, to read it";
  } catch {
    return "is a link that leads nowhere";
  }
}

/** Reason for not entering a folder; a maildir keeps subfolders in folders with a leading dot. */
function avoid(name: string, inMaildir: boolean): string | null {
  if (inMaildir && name === "tmp") return "holds mails that are still being delivered";
  if (name === "__MACOSX") return "holds what a Mac adds to zip files";
  if (name === "node_modules") return "holds packages of Node.js";
  return name.startsWith(".") && !inMaildir ? "is hidden" : null;
}

/** Reason for not opening a file. */
export function complainAboutName(name: string, { words, foreignEndings }: Recogniser): string | null {
  const own = basename(name);
  if (own.includes("\ufffd")) return "has a name that is not UTF-8: rename it";
  if (own.startsWith(".") || own.startsWith("._")) return "is hidden";
  if (own.endsWith("~")) return "is a backup copy of an editor";
  const ending = /\.([A-Za-z0-9]+)$/.exec(own)?.[1]?.toLowerCase();
  return ending !== undefined && foreignEndings.has(ending)
    ? `is not ${words.content}, by its ending .${ending}`
    : null;
}

const hasFolder = (entries: readonly Dirent[], name: string) =>
  entries.some((entry) => entry.name === name && entry.isDirectory());

const skipped = (path: string, because: string): WalkedFile => ({
  kind: "skipped",
  place: showName(path),
  because: `${showName(path)} ${because}.`,
});
