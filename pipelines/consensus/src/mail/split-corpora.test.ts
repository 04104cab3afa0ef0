import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { splitMails } from "./split.ts";

const corpora = fileURLToPath(new URL("../../../../../shared/corpora/", import.meta.url));

async function* inChunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024);
}

async function count(path: string): Promise<number> {
  const stored = readFileSync(corpora + path);
  const bytes = path.endsWith(".gz") ? gunzipSync(stored) : stored;
  let mails = 0;
  for await (const mail of splitMails(inChunks(bytes))) {
    expect(mail.bytes.length).toBeGreaterThan(0);
    mails++;
  }
  return mails;
}

describe.skipIf(!existsSync(corpora))(
  "real archives have as many mails as were counted another way (corpora absent)",
  () => {
    it.each([
      ["list-ietf-mailarchive/data/mailbox_mmdf", 5],
      ["list-ietf-mailarchive/data/duplicate_tests.mbox", 10],
      ["list-ietf-mailarchive/data/export.mbox", 21],
      ["list-ietf-mailarchive/data/mailbox_received", 1],
      ["list-ietf-mailarchive/data/mailbox_mbox", 1],
      ["list-bpf-ietf/bpf-ietf-2023H1.dev.mbox", 177],
      ["list-ksummit/ksummit-discuss.mbox", 759],
      ["list-tomoyo/tomoyo-users-en.mbox", 66],
      ["list-perceval/mbox/mbox_no_fields.mbox", 6],
      ["list-perceval/mbox/mbox_multipart.mbox", 2],
      ["list-perceval/mbox/mbox_unixfrom_encoding.mbox", 1],
      ["list-perceval/mbox/mbox_iso8859_encoding.mbox", 1],
      ["list-perceval/pipermail/pipermail_2015_november.mbox", 4],
      ["list-ponymail/corpus/asterix-dev-201709-mailarchivesao.mbox", 53],
      ["list-ponymail/corpus/maven-dev-2017-11-mailarchivesao.mbox", 317],
      ["list-ponymail/corpus/maven-dev-2017-11-listsao.mbox", 320],
      ["list-ponymail/corpus/no_date.mbox", 1],
      ["mime-james/mbox/src/test/resources/test-1/mbox.rlug", 5],
      ["mime-hyperkitty/testdata/non-ascii-headers.txt", 6],
      ["thread-imaptest/sort-subject.mbox", 15],
      ["thread-imaptest/sort-arrival.mbox", 5],
      ["thread-imaptest/thread-orderedsubject2.mbox", 8],
      ["list-imagej-devel/2012-April.txt", 146],
      ["list-twisted-web-gz/2008-March.txt.gz", 103],
    ])("%s has %i", async (path, mails) => {
      expect(await count(path)).toBe(mails);
    });

    it("a pipermail month that was appended twice has each mail of its index twice", async () => {
      const index = readFileSync(`${corpora}list-twisted-threads/2005-May/thread.html`, "latin1");
      const listed = Number(/Messages:<\/b> (\d+)/.exec(index)?.[1]);
      expect(await count("list-twisted-python/2005-May.txt")).toBe(2 * listed);
    });
  },
);
