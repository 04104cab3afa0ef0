/**
 * How the archive hid lines of a body that begin with "From ": `one` put a ">" before these only (mboxo),
 * `each` also before those that already had some (mboxrd), `none` did not.
 */
export type Escapes = "one" | "each" | "none";

const escaped = Buffer.from(">From ");
const newline = 0x0a;
const carriageReturn = 0x0d;
const greater = 0x3e;

/**
 * A copy of a mail with its body as it was sent. An archive does not say which dialect it is in; where nothing
 * tells, mboxrd is assumed, because a wrong guess then costs one ">" of a twice quoted "From " line, while the
 * other guess would leave a ">" in words that somebody wrote.
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

/** Where the ">" stand that the archive added. */
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

/** Where the text after the headers begins, or -1 in a mail without any. */
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
