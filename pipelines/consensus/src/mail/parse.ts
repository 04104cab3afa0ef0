import type { Attachment } from "./body-text.ts";
import { readBody } from "./body-text.ts";
import { decodeHeaderText } from "./encoded-words.ts";
import { firstField, type Headers } from "./headers.ts";
import { readListId } from "./list-id.ts";
import { normaliseMessageId, readInReplyTo, readReferences } from "./message-id.ts";
import { type Part, readPart, startWalk } from "./parts.ts";
import { readSender } from "./sender.ts";
import { readSentDate } from "./sent-date.ts";
import { storable, storableLine } from "./storable.ts";

/** From the archive's line before a mail. */
export interface Envelope {
  readonly sender: string | null;
  /** ISO 8601. */
  readonly date: string | null;
}

export interface ParsedMail {
  readonly messageId: string | null;
  readonly subject: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly date: string | null;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly listId: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** Oddities of the mail, sorted, e.g. `date.missing`. */
  readonly flags: readonly string[];
}

/** Parses a mail. Any bytes are a mail, if need be with only text; never throws. */
export function parseMail(raw: Buffer, envelope: Envelope = { sender: null, date: null }): ParsedMail {
  const walk = startWalk();
  const root = readPart(withLineFeeds(raw), walk);
  const { headers } = root;
  const flags = walk.flags;
  const hint = charsetHint(root);
  const note = <T extends { readonly flags: readonly string[] }>(found: T): T => {
    for (const flag of found.flags) flags.add(flag);
    return found;
  };
  const subject = note(decodeHeaderText(firstField(headers, "subject"), hint)).text;
  const from = note(readSender(headers, hint, envelope.sender)).from;
  const date = note(readSentDate(headers, envelope.date)).date;
  const body = note(readBody(root, hint));
  const text = storable(body.text);
  const idField = firstField(headers, "message-id");
  const messageId = normaliseMessageId(idField);
  if (messageId === null) flags.add(idField === "" ? "messageId.missing" : "messageId.unusable");
  if (text.trim() === "") flags.add("body.empty");
  if (raw.includes(0)) flags.add("content.nul");
  return {
    messageId: messageId === null ? null : storableLine(messageId),
    subject: storableLine(subject),
    from: { name: storableLine(from.name), address: storableLine(from.address) },
    date,
    inReplyTo: inReplyToOf(headers),
    references:
      (headers.fields.get("references") ?? []).map(readReferences).find((ids) => ids.length > 0) ?? [],
    listId: readListId(headers),
    text,
    attachments: body.attachments.map((each) => ({
      ...each,
      filename: each.filename === null ? null : storableLine(each.filename),
    })),
    flags: [...flags].sort(),
  };
}

/** Bytes of the attachments of a mail, in the order of `ParsedMail.attachments`. */
export const readAttachedFiles = (raw: Buffer): readonly Buffer[] =>
  readBody(readPart(withLineFeeds(raw), startWalk()), null).files;

const inReplyToOf = (headers: Headers): string | null =>
  (headers.fields.get("in-reply-to") ?? []).map(readInReplyTo).find((id) => id !== null) ?? null;

/** Files of the old Macintosh end lines with CR. */
function withLineFeeds(raw: Buffer): Buffer {
  if (raw.includes(10) || !raw.includes(13)) return raw;
  return Buffer.from(raw.map((byte) => (byte === 13 ? 10 : byte)));
}

/** A charset named anywhere in the mail, for texts without a charset. */
function charsetHint(root: Part): string | null {
  const own = charsetOf(root, 3);
  if (own !== null) return own;
  const words = `${firstField(root.headers, "subject")} ${firstField(root.headers, "from")}`;
  return /=\?([\w.:-]{2,40})(?:\*[\w-]*)?\?[bq]\?/i.exec(words)?.[1] ?? null;
}

function charsetOf(part: Part, depth: number): string | null {
  const label = part.parameters.get("charset");
  if (label !== undefined && !/ascii|unknown/i.test(label)) return label;
  if (part.content.kind !== "parts" || depth === 0) return null;
  for (const child of part.content.parts.slice(0, 5)) {
    const found = charsetOf(child, depth - 1);
    if (found !== null) return found;
  }
  return null;
}
