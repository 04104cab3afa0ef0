import type { Escapes } from "./split-escapes.ts";
import { bodyStart, undoEscapes } from "./split-escapes.ts";
import type { Envelope } from "./split-from-line.ts";
import { openingBytes } from "./split-header-lines.ts";
import type { Habits, Place, Separator } from "./split-separators.ts";
import {
  fromNeedle,
  isNewline,
  judgeFromLine,
  judgeListservLine,
  judgeMmdfLine,
  listservNeedle,
  lookBackBytes,
  mmdfNeedle,
} from "./split-separators.ts";
import { findStart } from "./split-sniff.ts";
import type { Window } from "./split-window.ts";
import { openWindow } from "./split-window.ts";

export { sniffArchive } from "./split-sniff.ts";

export interface FoundMail {
  /** Where it begins in the archive, after the line that separates it. */
  readonly offset: number;
  /** Its bytes in the archive, escapes included. */
  readonly size: number;
  readonly envelope: Envelope;
  /** The mail as it was sent, at most `mailBytesMax` of it. */
  readonly bytes: Buffer;
  readonly cut: boolean;
}

export interface SplitOptions {
  readonly mailBytesMax?: number;
  readonly signal?: AbortSignal;
}

const defaults = { mailBytesMax: 8 * 1024 * 1024 };

/** How much of a file tells what it is. */
const headBytes = 64 * 1024;

/** Finds the mails of an archive: mboxo, mboxrd, mboxcl/mboxcl2, MMDF, LISTSERV logs, pipermail text, or a single mail (.eml). */
export async function* splitMails(
  source: AsyncIterable<Uint8Array>,
  options: SplitOptions = {},
): AsyncGenerator<FoundMail> {
  const { mailBytesMax, signal } = { ...defaults, ...options };
  const window = openWindow(source, signal);
  try {
    await window.reach(headBytes);
    const { kind, begin, foreign } = findStart(window.view(0, headBytes));
    if (foreign) return;
    if (kind === "mmdf") yield* splitMarked(window, mmdf, begin, mailBytesMax);
    else if (kind === "listserv") yield* splitMarked(window, listserv, begin, mailBytesMax);
    else yield* splitMbox(window, { begin, lone: kind === "mail" }, mailBytesMax);
  } finally {
    await window.close();
  }
}

/** A mail whose end is not known yet. */
interface OpenMail {
  readonly start: number;
  readonly envelope: Envelope;
  readonly escapes: Escapes;
  /** Its first bytes, once it is larger than a mail may be. */
  readonly kept: Buffer | null;
}

const nobody: Envelope = { sender: null, date: null };

async function* splitMbox(
  window: Window,
  { begin, lone }: { readonly begin: number; readonly lone: boolean },
  max: number,
): AsyncGenerator<FoundMail> {
  let mail: OpenMail | null = lone ? { start: begin, envelope: nobody, escapes: "none", kept: null } : null;
  let place: Place = lone ? { kind: "lone" } : { kind: "lead", begin };
  const closed = lone ? closingOf(window, begin) : null;
  for (let from = begin; ; ) {
    const judge = async (at: number) =>
      place.kind === "lone" && closed !== null && !closed(at) ? null : judgeFromLine(window, at, place);
    const found = await nextSeparator(window, { needle: fromNeedle, from, judge }, mail, max);
    if (found.mail !== null) yield closeMail(window, found.mail, mailEnd(window, found, place), max);
    if (found.separator === null) return;
    const { separator } = found;
    window.drop(separator.at - lookBackBytes);
    place = { kind: "inside", habits: place.kind === "inside" ? place.habits : habitsOf(separator) };
    const length = await trustedLength(window, separator, place, max);
    mail = { ...openMail(separator), ...(length?.unescaped ? { escapes: "none" } : {}) };
    from = length?.end ?? separator.next;
  }
}

const mmdf = { needle: mmdfNeedle, judgeAt: judgeMmdfLine };
const listserv = { needle: listservNeedle, judgeAt: judgeListservLine };

/** Archives whose mails stand between lines that nothing else looks like. */
async function* splitMarked(
  window: Window,
  { needle, judgeAt }: typeof mmdf,
  begin: number,
  max: number,
): AsyncGenerator<FoundMail> {
  let mail: OpenMail | null = null;
  for (let from = begin; ; ) {
    const judge = (at: number) => judgeAt(window, at);
    const found = await nextSeparator(window, { needle, from, judge }, mail, max);
    const end = found.separator?.at ?? window.end();
    const text = found.mail === null ? "" : window.view(found.mail.start, end).toString("latin1", 0, 64);
    if (found.mail !== null && text.trim() !== "") yield closeMail(window, found.mail, end, max);
    if (found.separator === null) return;
    window.drop(found.separator.at - lookBackBytes);
    mail = { ...openMail(found.separator), escapes: "none" };
    from = found.separator.next;
  }
}

function openMail({ next, line }: Separator): OpenMail {
  const envelope = line === null ? nobody : { sender: line.sender, date: line.date };
  // Pipermail is written by Mailman, which escapes as mboxo does.
  return { start: next, envelope, escapes: line?.spelled ? "one" : "each", kept: null };
}

function habitsOf({ line, opening }: Separator): Habits {
  const { grade, sender } = line ?? { grade: null, sender: null };
  return { patch: grade === "patch", bare: grade === "bare", headless: opening === "blank", sender };
}

interface Search {
  readonly needle: Buffer;
  readonly from: number;
  readonly judge: (at: number) => Promise<Separator | null>;
}
interface Found {
  readonly separator: Separator | null;
  readonly mail: OpenMail | null;
}

/** Searches on; what is too much of the mail in between is forgotten on the way. */
async function nextSeparator(
  window: Window,
  search: Search,
  mail: OpenMail | null,
  max: number,
): Promise<Found> {
  let open = mail;
  for (let from = search.from; ; ) {
    const at = window.find(search.needle, from);
    if (at >= 0) {
      const separator = await search.judge(at);
      if (separator !== null) return { separator, mail: open };
      from = at + 1;
      continue;
    }
    from = Math.max(from, window.end() - search.needle.length + 1);
    if (open !== null && open.kept === null && from - open.start > max + lookBackBytes)
      open = { ...open, kept: Buffer.from(window.view(open.start, open.start + max)) };
    window.drop(open === null || open.kept !== null ? from - lookBackBytes : open.start - lookBackBytes);
    if (!(await window.reach(window.end() + 1))) return { separator: null, mail: open };
  }
}

/** The blank line before a separator belongs to it, and so does the one at the end of an archive. */
function mailEnd(window: Window, { separator, mail }: Found, place: Place): number {
  const end = separator?.at ?? window.end();
  if (mail === null || (separator === null && place.kind === "lone")) return end;
  const newlineBytes = window.view(end - 2, end).equals(Buffer.from("\r\n")) ? 2 : 1;
  const before = end - newlineBytes;
  const isBlankLine = isNewline(window.byteAt(end - 1)) && isNewline(window.byteAt(before - 1));
  return isBlankLine && before > mail.start ? before : end;
}

function closeMail(window: Window, mail: OpenMail, end: number, max: number): FoundMail {
  const size = end - mail.start;
  const raw = (mail.kept ?? window.view(mail.start, end)).subarray(0, Math.min(size, max));
  const bytes = undoEscapes(raw, mail.escapes);
  return { offset: mail.start, size, envelope: mail.envelope, bytes, cut: size > max };
}

const contentLength = /^content-length:[ \t]*(\d{1,12})[ \t]*$/im;

/**
 * Where a mail ends by its Content-Length, which is believed only when a separator or the end of the archive
 * stands exactly there; it often was true for an earlier form of the mail only.
 */
async function trustedLength(
  window: Window,
  { next }: Separator,
  place: Place,
  max: number,
): Promise<{ readonly end: number; readonly unescaped: boolean } | null> {
  await window.reach(next + headBytes);
  const head = window.view(next, next + headBytes);
  const body = bodyStart(head);
  const given = body < 0 ? null : contentLength.exec(head.toString("latin1", 0, body));
  const start = next + body;
  const end = start + Number(given?.[1]);
  if (given === null || end - next > max) return null;
  const isWhole = await window.reach(end);
  if (!isWhole) return null;
  const isLast = !(await window.reach(end + openingBytes));
  let at = end;
  while (at < end + 4 && isNewline(window.byteAt(at))) at++;
  const lands = (isLast && at === window.end()) || (await judgeFromLine(window, at, place)) !== null;
  return lands ? { end: at, unescaped: window.view(start, end).includes("\nFrom ") } : null;
}

const boundaryForm =
  /^content-type:[^;]{0,80}multipart\/[^;]{0,80};[\s\S]{0,400}?boundary="?([^"\s;]{1,200})/im;

/**
 * A mail in a file of its own may carry an archive as an attachment; a later separator counts only after its
 * last part was closed. Null when it has no parts.
 */
function closingOf(window: Window, start: number): ((at: number) => boolean) | null {
  const head = window.view(start, start + headBytes);
  const boundary = boundaryForm.exec(head.toString("latin1", 0, Math.max(bodyStart(head), 0)))?.[1];
  if (boundary === undefined) return null;
  const closing = Buffer.from(`--${boundary}--`, "latin1");
  let searched = start;
  let isClosed = false;
  return (at) => {
    if (!isClosed && at > searched) isClosed = window.view(searched, at).includes(closing);
    searched = Math.max(searched, at - closing.length);
    return isClosed;
  };
}
