/** What stands where the first header of a mail should be. */
export type Opening = "headers" | "blank" | "binary" | "text" | "end";

/** How far one has to look to tell. */
export const openingBytes = 2048;

const known = new RegExp(
  `^(?:${[
    "from|to|cc|bcc|date|subject|sender|reply-to|message-id|in-reply-to|references|received|return-path",
    "mime-version|delivered-to|envelope-to|delivery-date|errors-to|organi[sz]ation|precedence|status|lines",
    "path|newsgroups|xref|nntp-[a-z-]+|apparently-to|via|mail-from|approved(?:-by)?|user-agent|mailer|comments",
    "keywords|importance|priority|sensitivity|thread-(?:index|topic)|auto-submitted|authentication-results",
    "(?:x|list|content|resent|arc|dkim|domainkey|received|feedback|archived|original|old|mail|disposition)-[a-z0-9._-]+",
  ].join("|")})$`,
  "i",
);

/** Looks at the bytes after a separator, or at the beginning of a file. */
export function lookAtOpening(bytes: Buffer): Opening {
  const lines = bytes.toString("latin1", 0, openingBytes).split(/\r\n|\n|\r/, 8);
  // Mail that came by UUCP repeats the separator, escaped.
  while (lines.length > 1 && /^>*From /.test(lines[0] ?? "")) lines.shift();
  const [first = "", second] = lines;
  if (bytes.length < openingBytes && bytes.every(isSpace)) return "end";
  if (first.trim() === "") return "blank";
  const name = headerNameOf(first);
  if (name !== null && (known.test(name) || second === undefined || continuesHeaders(second)))
    return "headers";
  return isBinary(first) ? "binary" : "text";
}

/** The name of a header line, or null when the line is none. */
export function headerNameOf(line: string): string | null {
  const colon = line.indexOf(":");
  if (colon < 1 || colon > 80 || line.startsWith("//", colon + 1)) return null;
  const name = line.slice(0, colon).trimEnd();
  return /^[!-9;-~]+$/.test(name) && /^[A-Za-z]/.test(name) ? name : null;
}

const isSpace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

export const isMailHeader = (line: string): boolean => {
  const name = headerNameOf(line);
  return name !== null && known.test(name);
};

/** LISTSERV puts a line of 73 "=" before each mail of a log. */
export const listservLine = "=".repeat(73);
export const isListservLine = (line: string): boolean => line.trimEnd() === listservLine;

/** Two headers of mails that follow each other, continued or not: a heading in a text has none. */
export function isListservOpening(lines: readonly string[]): boolean {
  if (!isMailHeader(lines[0] ?? "")) return false;
  const second = lines.slice(1).find((line) => !/^[ \t]+\S/.test(line));
  return second !== undefined && isMailHeader(second);
}

const continuesHeaders = (line: string) => /^[ \t]+\S/.test(line) || headerNameOf(line) !== null;

/** Prose has no control characters, and not mostly bytes beyond ASCII unless they are letters in UTF-8. */
export function isBinary(text: string): boolean {
  let control = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 127 || (code < 32 && !(code >= 7 && code <= 13) && code !== 27)) control++;
  }
  return control * 20 > text.length;
}
