import { type DocumentOf, permanent, stage } from "@headway/engine";
import { cleanText } from "../clean/clean.ts";
import { mails, readings } from "../collections.ts";
import { contentMessageId } from "../mail/message-id.ts";
import { parseMail } from "../mail/parse.ts";
import { unpackRaw } from "../mail/raw.ts";

/** A mail becomes what it says. Mail is hostile, so this runs apart: one that spins or explodes costs itself only. */
export const parsing = stage("parsing", {
  reads: mails,
  writes: [readings],
  batch: 64,
  version: "1",
  isolate: { module: import.meta.url, memoryMb: 512 },
  announces: { done: "JSONParsed", failed: "ParsingFailed" },
  retry: { attempts: 3 },
  timeout: "60s",
  *run(batch) {
    for (const mail of batch) yield [mail, readings.document(mail.id, readMail(mail))];
  },
});

function readMail(mail: DocumentOf<typeof mails>) {
  const bytes = unpackRaw(mail.raw);
  const parsed = parseMail(bytes, mail.envelope);
  if (parsed.flags.includes("header.missing")) {
    throw permanent(
      "mail.unreadable",
      `The ${mail.size} bytes at ${mail.offset} of ${mail.archive} have no header of a mail.`,
    );
  }
  const { clean, removed } = cleanText(parsed.text);
  return {
    ...parsed,
    list: mail.list,
    mail: mail.id,
    archive: mail.archive,
    messageId: parsed.messageId ?? contentMessageId(parsed),
    clean,
    removed,
    flags: mail.cut ? [...parsed.flags, "mail.cut"].sort() : parsed.flags,
  };
}
