import { createHash } from "node:crypto";
import { permanent, stage } from "@headway/engine";
import { archives, mails } from "../collections.ts";
import { mailId, makeOrdinals } from "../identity.ts";
import { packRaw } from "../mail/raw.ts";
import { splitMails } from "../mail/split.ts";
import { blobs } from "../services.ts";

/** An archive becomes its mails, as they are. It streams: memory stays flat on an archive of any size. */
export const splitting = stage("splitting", {
  reads: archives,
  writes: [mails],
  needs: [blobs],
  version: "2",
  announces: { done: "ArchiveIngested", failed: "ArchiveIngestionFailed" },
  retry: { attempts: 3 },
  timeout: "4h",
  async *run(archive, { blobs, signal }) {
    const nth = makeOrdinals();
    let found = 0;
    for await (const mail of splitMails(blobs.open(archive.blob, { signal }), { signal })) {
      found++;
      const sha256 = createHash("sha256").update(mail.bytes).digest("hex");
      yield mails.document(mailId(archive.id, sha256, nth(sha256)), {
        list: archive.list,
        archive: archive.id,
        offset: mail.offset,
        size: mail.size,
        envelope: mail.envelope,
        raw: packRaw(mail.bytes),
        cut: mail.cut,
      });
    }
    if (found === 0) throw permanent("archive.empty", `There is no mail in ${archive.place}.`);
  },
});
