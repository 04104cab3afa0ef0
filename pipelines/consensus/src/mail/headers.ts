/** The used header fields, each byte one character, unfolded. */
export interface Headers {
  /** By lower-case name, in order. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly bodyStart: number;
  readonly flags: readonly string[];
}

/**
 * Reads the fields of a mail or part; for any bytes, the rest is the body. Archives may put a line or two before a
 * whole mail.
 */
export function readHeaders(raw: Buffer, isWholeMail = true): Headers {
  const fields = new Map<string, string[]>();
  const flags = new Set<string>();
  let current: { name: string; lines: string[] } | null = null;
  let count = 0;
  const close = () => {
    if (current === null) return;
    const values = fields.get(current.name);
    const value = current.lines.join(" ").trim();
    if (values) values.push(value);
    else fields.set(current.name, [value]);
    current = null;
  };
  let at = isWholeMail ? startOf(raw) : 0;
  while (at < raw.length) {
    const line = readLine(raw, at);
    const kind = classify(raw, line, count > 0);
    if (kind === "end") {
      at = line.next;
      break;
    }
    if (kind === "body") {
      flags.add(count === 0 ? "header.missing" : "header.unterminated");
      break;
    }
    if (kind === "field") {
      close();
      count++;
      if (count <= fieldsMax) current = openField(raw, line, flags);
      else flags.add("header.too-many");
    } else if (kind === "more") {
      if (current !== null) addLine(current, raw, line, flags);
    } else if (kind === "junk") flags.add("header.malformed");
    at = line.next;
  }
  close();
  return { fields, bodyStart: Math.min(at, raw.length), flags: [...flags] };
}

/** The first non-empty value of a field. */
export const firstField = (headers: Headers, name: string): string =>
  headers.fields.get(name)?.find((value) => value !== "") ?? "";

const fieldsMax = 1000;
const lineCharactersMax = 100_000;
const linesMax = 4000;

interface Line {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** A line ends at LF, CRLF, CRCRLF, or at a lone CR followed by a field, a blank or another line end. */
function readLine(raw: Buffer, start: number): Line {
  for (let i = start; i < raw.length; i++) {
    const byte = raw[i]!;
    if (byte === 10) return { start, end: i, next: i + 1 };
    if (byte !== 13) continue;
    if (raw[i + 1] === 10) return { start, end: i, next: i + 2 };
    if (raw[i + 1] === 13 && raw[i + 2] === 10) return { start, end: i, next: i + 3 };
    const isLast = i + 1 >= raw.length;
    if (isLast || raw[i + 1] === 13 || isBlank(raw[i + 1]!) || nameEnd(raw, i + 1, raw.length) > 0) {
      return { start, end: i, next: i + 1 };
    }
  }
  return { start, end: raw.length, next: raw.length };
}

type Kind = "field" | "more" | "junk" | "end" | "body";

function classify(raw: Buffer, line: Line, hasFields: boolean): Kind {
  if (line.end === line.start) return "end";
  if (isBlank(raw[line.start]!)) {
    if (!isBlankLine(raw, line)) return hasFields ? "more" : fieldFollows(raw, line) ? "junk" : "body";
    // A separator with blanks, unless more fields follow.
    return fieldFollows(raw, line) || line.next >= raw.length ? "more" : "end";
  }
  if (nameEnd(raw, line.start, line.end) > 0) return "field";
  if (!hasFields) return fieldFollows(raw, line) && startsWithFrom(raw, line.start) ? "junk" : "body";
  if (startsWithFrom(raw, line.start) && !looksLikeField(raw, line.next)) return "body";
  return fieldFollows(raw, line) ? "junk" : "body";
}

/** A known mail field within the next few lines: the odd line belongs to the header. */
function fieldFollows(raw: Buffer, line: Line): boolean {
  let at = line.next;
  for (let i = 0; i < 3 && at < raw.length; i++) {
    const next = readLine(raw, at);
    if (next.end === next.start) return false;
    if (looksLikeField(raw, at)) return true;
    at = next.next;
  }
  return false;
}

function looksLikeField(raw: Buffer, at: number): boolean {
  const colon = nameEnd(raw, at, Math.min(raw.length, at + nameBytesMax));
  return colon > 0 && knownName.test(raw.toString("latin1", at, colon));
}

const knownName =
  /^(x-[\w-]+|list-[\w-]+|content-[\w-]+|resent-[\w-]+|dkim-signature|received|return-path|message-id|date|from|to|cc|bcc|subject|sender|reply-to|in-reply-to|references|mime-version|delivered-to|status|lines|organization|user-agent|precedence|errors-to|thread-[\w-]+|authentication-results|arc-[\w-]+|importance|mailing-list|newsgroups|path|xref) *$/i;

const nameBytesMax = 200;

/** End of a field's name, at the colon; 0 if the line has none. */
function nameEnd(raw: Buffer, start: number, end: number): number {
  const limit = Math.min(end, start + nameBytesMax);
  let at = start;
  while (at < limit && raw[at]! > 32 && raw[at] !== 127 && raw[at] !== 58) at++;
  const name = at;
  while (at < limit && isBlank(raw[at]!)) at++;
  return name > start && raw[at] === 58 && at < end ? at : 0;
}

/** Most of a header are machine traces and signatures, not worth a copy. */
const wanted = new Set(
  [
    "subject from date message-id in-reply-to references received sender reply-to return-path resent-from resent-date",
    "content-type content-transfer-encoding content-disposition delivery-date x-envelope-from delivered-to",
    "list-id list-post x-mailing-list mailing-list x-beenthere",
    "x-original-from x-mailman-original-from x-original-sender",
  ].flatMap((names) => names.split(" ")),
);

function openField(raw: Buffer, line: Line, flags: Set<string>): { name: string; lines: string[] } | null {
  const colon = nameEnd(raw, line.start, line.end);
  const name = raw.toString("latin1", line.start, colon).trimEnd().toLowerCase();
  if (!wanted.has(name)) return null;
  const field = { name, lines: [] as string[] };
  addLine(field, raw, { ...line, start: colon + 1 }, flags);
  return field;
}

function addLine(field: { lines: string[] }, raw: Buffer, line: Line, flags: Set<string>) {
  if (field.lines.length >= linesMax || line.end - line.start > lineCharactersMax)
    flags.add("header.too-large");
  if (field.lines.length >= linesMax) return;
  const text = raw.toString("latin1", line.start, Math.min(line.end, line.start + lineCharactersMax)).trim();
  if (text !== "") field.lines.push(text);
}

/** Skips a byte order mark, blank lines, and an archive's line before a mail. */
function startOf(raw: Buffer): number {
  let at = raw[0] === 0xef && raw[1] === 0xbb && raw[2] === 0xbf ? 3 : 0;
  const afterMark = at;
  while (at < raw.length && at < 1000 && (raw[at] === 13 || raw[at] === 10)) at++;
  if (at > afterMark && !looksLikeField(raw, at) && !startsWithFrom(raw, at)) at = afterMark;
  for (let i = 0; i < 2 && startsWithFrom(raw, at); i++) at = readLine(raw, at).next;
  let indented = at;
  while (indented < at + 20 && isBlank(raw[indented] ?? 0)) indented++;
  return looksLikeField(raw, indented) ? indented : at;
}

const startsWithFrom = (raw: Buffer, at: number) =>
  (raw[at] === 70 || raw[at] === 62) &&
  /^>?From /.test(raw.toString("latin1", at, at + 7)) &&
  nameEnd(raw, at, raw.length) === 0;

const isBlank = (byte: number) => byte === 32 || byte === 9;

function isBlankLine(raw: Buffer, line: Line): boolean {
  for (let i = line.start; i < line.end; i++) if (!isBlank(raw[i]!)) return false;
  return true;
}
