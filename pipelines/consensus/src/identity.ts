import { createHash } from "node:crypto";

/**
 * Ids follow from content, never from the time or place of reading: so reading again, from another archive or after a
 * crash, gives the same ids.
 */

const short = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** An archive by list and name, so a grown archive replaces its older version. */
export const archiveId = (list: string, key: string): string => cut(`${list}/${key}`);

/** A mail by its bytes; the same bytes twice in one archive are two mails, distinguished by `nth`. */
export const mailId = (archive: string, sha256: string, nth: number): string =>
  cut(`${archive}#${sha256.slice(0, 16)}${nth > 1 ? `.${nth}` : ""}`);

export const messageDocumentId = (list: string, messageId: string): string =>
  cut(`${list}/${short(messageId)}`);

export const threadId = (list: string, root: string): string => cut(`${list}/t-${short(root)}`);

/** A passage by its words: unaffected by changes of other paragraphs. */
export const chunkId = (message: string, text: string, nth: number): string =>
  `${message}/${short(text).slice(0, 10)}${nth > 1 ? `.${nth}` : ""}`;

export const positionId = (thread: string, message: string, start: number): string =>
  `${thread}/${short(message).slice(0, 10)}-${start}`;

/** Counts repeated calls for the same text, from 1. */
export function makeOrdinals(): (of: string) => number {
  const seen = new Map<string, number>();
  return (of) => {
    const nth = (seen.get(of) ?? 0) + 1;
    seen.set(of, nth);
    return nth;
  };
}

const idLengthMax = 240;

/** A path may be long, an id may not: a hash replaces its end. */
const cut = (id: string): string =>
  id.length <= idLengthMax
    ? id
    : `${id.slice(0, idLengthMax - 17).replace(/[\uD800-\uDBFF]$/, "")}~${short(id)}`;
