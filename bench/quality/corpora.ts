import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type FoundMail, splitMails } from "../../pipelines/consensus/src/mail/split.ts";

/** Folder of the public archives with known answers: beside the clone, never inside. */
export const corpora = fileURLToPath(new URL("../../../shared/corpora/", import.meta.url));
export const corporaAbsent = !existsSync(corpora);

export const foldersLike = (pattern: RegExp): readonly string[] =>
  readdirSync(corpora)
    .filter((name) => pattern.test(name))
    .sort();

/** Every file below a folder of the corpora, by relative path, without the notes on origins. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(corpora, folder))
    .sort()
    .map((name) => `${folder}/${name}`)
    .flatMap((path) => (statSync(join(corpora, path)).isDirectory() ? filesBelow(path) : [path]))
    .filter((path) => !path.endsWith("/SOURCE.txt"));
}

export function readBytes(path: string): Buffer {
  const stored = readFileSync(join(corpora, path));
  return path.endsWith(".gz") ? gunzipSync(stored) : stored;
}

export const readText = (path: string): string => readFileSync(join(corpora, path), "utf8");

/** The mails of an archive, by the pipeline's own splitter. */
export async function mailsOf(path: string): Promise<readonly FoundMail[]> {
  const found: FoundMail[] = [];
  for await (const mail of splitMails(inChunks(readBytes(path)))) found.push(mail);
  return found;
}

export async function* inChunks(bytes: Buffer, chunkBytes = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

/** Files of the MIME suites with a mail; the rest are answers, pictures and pages. */
export const isMailFile = (path: string): boolean =>
  !/\.(xml|out|zip|html|yaml|png|au|wav|aiff|aifc|json|md|bmp|exr|gif|jpg|p[bgnp]m|ras|rgb|sgi|tiff|webp|xbm|exe|gitignore|gitattributes)$|_decoded/.test(
    path,
  );
