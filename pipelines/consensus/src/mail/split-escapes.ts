/**
 * Escaping of body lines that begin with "From ": `one` adds a ">" only to these lines (mboxo),
 * `each` also to lines with ">" before (mboxrd), `none` does not escape.
 */
export type Escapes = "one" | "each" | "none";

const escaped = Buffer.from(">From ");
const newline = 0x0a;
const carriageReturn = 0x0d;
const greater = 0x3e;

/**
 * A copy of a mail with its original body. An archive does not name its dialect; without evidence mboxrd is assumed,
 * because a wrong guess then costs one ">" of a twice quoted "From " line, while the
 * opposite guess would leave a ">" in an author's words.
 */
export function undoEscapes(mail: Buffer, escapes: Escapes): Buffer {
  const body = escapes === "none" ? -1 : bodyStart(mail);
  const cuts = body < 0 ? [] : escapesIn(mail, body, escapes);
  const plain = Buffer.allocUnsafeSlow(mail.length - cuts.length);
  let from = 0;
  let to = 0;
  for (const cut of cuts) {
    to += mail.copy(plain, to, from, cut);
    from = cut + 1;
  }
  mail.copy(plain, to, from);
  return plain;
}

/** Positions of the ">" added by the archive. */
function escapesIn(mail: Buffer, body: number, escapes: Escapes): number[] {
  const cuts: number[] = [];
  for (let at = mail.indexOf(escaped, body); at >= 0; at = mail.indexOf(escaped, at + escaped.length)) {
    let first = at;
    while (first > body && mail[first - 1] === greater) first--;
    const before = mail[first - 1];
    const atLineStart = before === newline || before === carriageReturn;
    if (atLineStart && (escapes === "each" || first === at)) cuts.push(first);
  }
  return cuts;
}

const blankLines = ["\n\n", "\n\r\n", "\r\r"].map((text) => Buffer.from(text));

/** Start of the text after the headers, or -1 without headers. */
export function bodyStart(mail: Buffer): number {
  if (mail[0] === newline) return 1;
  if (mail[0] === carriageReturn) return mail[1] === newline ? 2 : 1;
  let best = -1;
  let within = mail;
  for (const blank of blankLines) {
    const at = within.indexOf(blank);
    if (at < 0) continue;
    best = at + blank.length;
    within = mail.subarray(0, best);
  }
  return best;
}
