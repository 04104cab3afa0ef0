import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { corpora, filesBelow, foldersLike, readBytes } from "./quality/corpora.ts";

export interface Archive {
  readonly list: string;
  readonly path: string;
  readonly bytes: Buffer;
}

/** The real lists among the corpora; the rest are fixtures of a few mails. */
export const realLists = "list-(bpf-ietf|imagej-devel|ksummit|ponymail|tomoyo|twisted-python|twisted-web-gz)";

export function readArchives(): readonly Archive[] {
  return foldersLike(new RegExp(`^${realLists}$`)).flatMap((list) =>
    filesBelow(list)
      .filter((path) => /\.(mbox|txt|txt\.gz)$/.test(path))
      .map((path) => ({ list, path, bytes: readBytes(path) })),
  );
}

export const realFolders = (): readonly string[] =>
  foldersLike(new RegExp(`^${realLists}$`)).map((list) => join(corpora, list));

/** Repeats all archives, with new Message-IDs each round, so no round duplicates another. */
export async function writeLarge(path: string, bytesMin: number): Promise<number> {
  const archives = readArchives().map(({ bytes }) => bytes.toString("latin1"));
  const file = createWriteStream(path);
  let written = 0;
  for (let round = 0; written < bytesMin; round++) {
    for (const text of archives) {
      if (written >= bytesMin) break;
      const other = Buffer.from(
        text.replace(/^((?:Message-ID|In-Reply-To|References):.*)$/gim, (line) =>
          line.replaceAll("<", `<round${round}.`),
        ),
        "latin1",
      );
      written += other.length + 1;
      file.write(other);
      if (!file.write("\n")) await once(file, "drain");
    }
  }
  file.end();
  await once(file, "finish");
  return written;
}
