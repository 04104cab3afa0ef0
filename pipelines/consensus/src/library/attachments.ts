import { createHash } from "node:crypto";
import { type Database, type DocumentOf, readersOf, sql } from "@headway/engine";
import { headers, mails, messages, threads } from "../collections.ts";
import { readAttachedFiles } from "../mail/parse.ts";
import { unpackRaw } from "../mail/raw.ts";
import { runWithin } from "../mail/time-limit.ts";
import { findThread } from "./reading.ts";

/** An attachment with its message. */
export interface AttachedFile {
  readonly message: string;
  readonly messageId: string;
  readonly list: string;
  readonly subject: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly date: string | null;
  /** Without folders and control characters; null: the mail gives no name. */
  readonly filename: string | null;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
}

/** Bytes of an attachment; null: the original mail no longer gives the bytes of this hash. */
export interface HeldAttachment {
  readonly file: AttachedFile;
  readonly bytes: Buffer | null;
}

type Message = DocumentOf<typeof messages>;

/**
 * Ids of messages: the one with this id or Message-ID, or all of a thread; without a name, all with attachments, newest
 * first. No or several threads: the name fits nothing, or too much.
 */
export async function attachmentsOfMessages(
  db: Database,
  given: { readonly name: string | undefined; readonly limit: number },
): Promise<{ readonly messages: readonly string[] } | { readonly threads: readonly string[] }> {
  if (given.name === undefined) {
    const rows = await db.query<{ id: string }>(sql`
      select m.id
      from headway_read.messages m
      where m.body -> 'attachments' <> '[]'::jsonb
      order by m.body ->> 'date' desc nulls last, m.id
      limit ${given.limit}`);
    return { messages: rows.map(({ id }) => id) };
  }
  const { read, find } = readersOf(db);
  const bare = given.name.trim().replace(/^<|>$/g, "");
  if (await read(messages, bare)) return { messages: [bare] };
  const named = await find(headers, { where: { messageId: bare }, limit: 20 });
  if (named.length > 0) return { messages: named.map(({ id }) => id) };
  const found = await findThread(db, bare);
  if (found.length !== 1) return { threads: found };
  const thread = await read(threads, found[0] as string);
  return { messages: (thread?.messages ?? []).map(({ message }) => message) };
}

/** The attachments of messages; with `bytes`, read again from the original mails and compared with their hashes. */
export async function* readAttachments(
  db: Database,
  ids: readonly string[],
  { bytes }: { readonly bytes: boolean },
): AsyncGenerator<HeldAttachment> {
  const { read } = readersOf(db);
  for (const id of ids) {
    const message = await read(messages, id);
    if (!message || message.attachments.length === 0) continue;
    const held = bytes ? await readFiles(db, message) : new Map<string, Buffer>();
    for (const file of filesOf(message)) yield { file, bytes: held.get(file.sha256) ?? null };
  }
}

const filesOf = ({ id, messageId, list, subject, from, date, attachments }: Message): AttachedFile[] =>
  attachments.map(({ filename, type, size, sha256 }) => ({
    message: id,
    messageId,
    list,
    subject,
    from,
    date,
    filename,
    type,
    size,
    sha256,
  }));

const mailMsMax = 10_000;

/** By hash, from the first delivery that has them all. */
async function readFiles(db: Database, message: Message): Promise<ReadonlyMap<string, Buffer>> {
  const held = new Map<string, Buffer>();
  const wanted = new Set(message.attachments.map(({ sha256 }) => sha256));
  for (const { mail: id } of message.occurrences) {
    const mail = await readersOf(db).read(mails, id);
    if (!mail) continue;
    for (const file of readInTime(unpackRaw(mail.raw))) {
      const hash = createHash("sha256").update(file).digest("hex");
      if (wanted.delete(hash)) held.set(hash, file);
    }
    if (wanted.size === 0) break;
  }
  return held;
}

/** Mail is hostile: a mail that takes too long gives nothing. */
function readInTime(raw: Buffer): readonly Buffer[] {
  try {
    return runWithin(mailMsMax, () => readAttachedFiles(raw));
  } catch {
    return [];
  }
}
