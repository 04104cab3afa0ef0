import { batchStage, type DocumentOf, permanent, transient } from "@headway/engine";
import { cleanText } from "../clean/clean.ts";
import { mails, readings } from "../collections.ts";
import { contentMessageId } from "../mail/message-id.ts";
import { parseMail } from "../mail/parse.ts";
import { unpackRaw } from "../mail/raw.ts";
import { runWithin, TimeOver } from "../mail/time-limit.ts";

/** A mail becomes a reading. Mail is hostile, so parsing is isolated: a mail that spins or explodes costs itself only. */
export const parsing = batchStage("parsing", {
  reads: mails,
  writes: [readings],
  batch: 64,
  version: "2",
  isolate: { module: import.meta.url, memoryMb: 512 },
  announces: { done: "JSONParsed", failed: "ParsingFailed" },
  retry: { attempts: 3 },
  // Each mail has a separate limit; the timeout is for a batch of slow mails.
  timeout: "15m",
  *run(batch) {
    const all = readTogether(batch);
    for (const [at, mail] of batch.entries())
      yield [mail, readings.document(mail.id, all?.[at] ?? readInTime(mail))];
  },
});

const mailMsMax = 10_000;
/** Mails that used up their time in this process: the halves of a failed batch do not spend the time again. */
const slow = new Set<string>();
const slowMax = 10_000;

/** All mails within the time of one, because a limit costs more than an ordinary mail; null: each mail by itself. */
function readTogether(batch: readonly DocumentOf<typeof mails>[]) {
  if (batch.some(({ id }) => slow.has(id))) return null;
  try {
    return runWithin(mailMsMax, () => batch.map(readMail));
  } catch {
    // The culprit is found, and its fault thrown, by reading one by one.
    return null;
  }
}

function readInTime(mail: DocumentOf<typeof mails>) {
  const tooSlow = () =>
    permanent("mail.slow", `The ${mail.size} bytes of ${mail.id} take more than ${mailMsMax} ms to read.`);
  if (slow.has(mail.id)) throw tooSlow();
  try {
    return runWithin(mailMsMax, () => readMail(mail));
  } catch (error) {
    if (!(error instanceof TimeOver)) throw error;
    if (!error.isBusy) throw transient("mail.delayed", `The machine had no time to read ${mail.id}.`);
    if (slow.size < slowMax) slow.add(mail.id);
    throw tooSlow();
  }
}

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
