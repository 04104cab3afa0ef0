import { permanent, transient } from "@headway/engine";
import type { TakenFile } from "./feeder.ts";
import { ImapRefusal } from "./imap-connection.ts";
import { type FetchedMail, type ImapLogin, type Mailbox, openMailbox } from "./imap-mailbox.ts";
import { addCounts, nothing, type Reading, type ReadResult, type ReadSource } from "./reading.ts";

/** Small enough for memory, large enough for a commit. */
const batchMails = 50;
const batchBytes = 16 * 1024 * 1024;
const mailBytesMax = 128 * 1024 * 1024;
const notesMax = 20;

/**
 * Reads new mails since the last run, by UIDVALIDITY and UID. How far the mailbox was read is kept after each
 * batch was accepted: a broken run goes on there, and a mail fetched twice is accepted once.
 */
export const readImap: ReadSource = async (reading) => {
  const { spec, cursor, options } = reading;
  const box = await openMailbox(loginOf(reading), options.signal).catch(asFault);
  try {
    const same = cursor.validity === box.validity;
    const after = same && typeof cursor.uid === "number" ? cursor.uid : 0;
    const uids = await box.uidsAfter(after, spec.documentsMax + 1);
    const wanted = uids.slice(0, spec.documentsMax);
    const result = await readMails(reading, box, wanted);
    return { ...result, more: wanted.length < uids.length };
  } catch (error) {
    return asFault(error);
  } finally {
    await box.close();
  }
};

export function loginOf({ spec, secret, options }: Pick<Reading, "spec" | "secret" | "options">): ImapLogin {
  const url = new URL(spec.place);
  const tls = url.protocol === "imaps:";
  if (secret === null)
    throw permanent("imap.secret", "The source has no password or token: add it with --secret-file.");
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (tls ? 993 : 143)),
    tls,
    user: decodeURIComponent(url.username),
    secret,
    mailbox: decodeURIComponent(url.pathname.slice(1)) || "INBOX",
    allowPrivate: options.allowPrivate,
  };
}

async function readMails(reading: Reading, box: Mailbox, uids: readonly number[]): Promise<ReadResult> {
  const { feeder, options, name, spec } = reading;
  const take = feeder.files;
  if (!take) throw permanent("source.pipeline", `The pipeline "${spec.pipeline}" takes no single mails.`);
  const list = options.list ?? name;
  let sum: ReadResult = nothing;
  const held: TakenFile[] = [];
  let heldBytes = 0;
  const flush = async () => {
    if (held.length === 0) return;
    const took = await take(held.splice(0), { ...options, list });
    heldBytes = 0;
    sum = addCounts(sum, took);
  };
  const placeOf = (uid: number) => `${spec.place};uidvalidity=${box.validity};uid=${uid}`;
  for (let at = 0; at < uids.length; at += batchMails) {
    const batch = uids.slice(at, at + batchMails);
    const refused = await fetchBatch(box, batch, async ({ uid, bytes }) => {
      // An empty mail has nothing to read; the number remembers the mail.
      if (bytes.length === 0) return;
      held.push({ key: `${name}/${box.validity}-${uid}.eml`, place: placeOf(uid), bytes });
      heldBytes += bytes.length;
      if (heldBytes >= batchBytes) await flush();
    });
    await flush();
    const notes = refused.map(({ uid, because }) => ({ place: placeOf(uid), because }));
    sum = {
      ...sum,
      refused: sum.refused + refused.length,
      notes: [...sum.notes, ...notes].slice(0, notesMax),
    };
    // Only now: within a batch a server may answer in any order.
    await reading.keep({ validity: box.validity, uid: batch.at(-1) });
  }
  return sum;
}

interface RefusedMail {
  readonly uid: number;
  readonly because: string;
}

/**
 * Fetches a batch. A mail too large, or unreadable for the server itself, is refused alone: otherwise a
 * single mail would hold up all later mails for ever.
 */
async function fetchBatch(
  box: Mailbox,
  batch: readonly number[],
  each: (mail: FetchedMail) => Promise<void>,
): Promise<RefusedMail[]> {
  const sizes = await box.sizes(batch);
  const refused: RefusedMail[] = [];
  const fitting = batch.filter((uid) => {
    const size = sizes.get(uid) ?? 0;
    if (size > mailBytesMax)
      refused.push({ uid, because: `the mail has ${size} bytes, more than ${mailBytesMax}` });
    return size <= mailBytesMax;
  });
  const taken = new Set<number>();
  const take = async (mail: FetchedMail) => {
    taken.add(mail.uid);
    await each(mail);
  };
  try {
    await box.fetch(fitting, take);
  } catch (error) {
    if (!(error instanceof ImapRefusal)) throw error;
    for (const uid of fitting.filter((one) => !taken.has(one))) {
      try {
        await box.fetch([uid], take);
      } catch (refusal) {
        if (!(refusal instanceof ImapRefusal)) throw refusal;
        refused.push({ uid, because: `the server refuses it: ${refusal.message}` });
      }
    }
  }
  return refused;
}

/** A refusal during the work is the server's trouble, and passes. */
function asFault(error: unknown): never {
  if (error instanceof ImapRefusal)
    throw transient("imap.broken", `The server refused ${error.command}: ${error.message}`);
  throw error;
}
