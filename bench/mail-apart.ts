import { createReadStream } from "node:fs";
import type { DatabaseOption } from "@headway/engine";
import { parseMail } from "../pipelines/consensus/src/mail/parse.ts";
import { splitMails } from "../pipelines/consensus/src/mail/split.ts";
import { readArchives, realFolders } from "./mail-archives.ts";
import { measureEndToEnd, measureGrowth, watchMemory } from "./mail-engine.ts";
import { measureLarge } from "./mail-large.ts";
import { measureStages } from "./mail-stages.ts";

/** One measurement; each has a process, and so a memory, of its own. */
export type Job =
  | { readonly kind: "stages"; readonly rounds: number }
  | {
      readonly kind: "end-to-end";
      readonly database: DatabaseOption | null;
      readonly places?: readonly string[];
    }
  | { readonly kind: "large"; readonly database: DatabaseOption | null; readonly place: string }
  | { readonly kind: "growth"; readonly database: DatabaseOption; readonly messages: number }
  | { readonly kind: "stream"; readonly paths: readonly string[] };

function run(job: Job): Promise<unknown> {
  switch (job.kind) {
    case "stages":
      return measureStages(readArchives(), job.rounds);
    case "end-to-end":
      return measureEndToEnd(job.database, job.places ?? realFolders());
    case "large":
      return measureLarge(job.database, job.place);
    case "growth":
      return measureGrowth(job.database, job.messages);
    case "stream":
      return measureStream(job.paths);
  }
}

/** Splits and parses files of any size as streams. */
async function measureStream(paths: readonly string[]) {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const memory = watchMemory();
  const from = performance.now();
  let [mails, bytes] = [0, 0];
  for (const path of paths) {
    for await (const mail of splitMails(createReadStream(path, { highWaterMark: 256 * 1024 }))) {
      parseMail(mail.bytes, mail.envelope);
      mails++;
      bytes += mail.size;
    }
  }
  const seconds = (performance.now() - from) / 1_000;
  return {
    mails,
    seconds,
    mailsPerSecond: mails / seconds,
    megabytesPerSecond: bytes / 1e6 / seconds,
    rssAddedMb: (memory.stop() - before) / 1e6,
  };
}

process.stdout.write(`\n${JSON.stringify(await run(JSON.parse(process.argv[2] as string)))}\n`);
