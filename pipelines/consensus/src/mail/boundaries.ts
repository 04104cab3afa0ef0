/** One part of a multipart, with headers. */
export interface Section {
  readonly bytes: Buffer;
  /** Followed by the closing boundary. */
  readonly isLast: boolean;
}

export interface Split {
  readonly sections: readonly Section[];
  /** Text before the first boundary. */
  readonly preamble: Buffer;
  readonly flags: readonly string[];
}

/** The parts between the boundaries; a missing or unused boundary is guessed from the text. */
export function splitMultipart(body: Buffer, boundary: string | null): Split {
  for (const spelling of spellingsOf(boundary ?? "")) {
    const delimiters = findDelimiters(body, spelling);
    if (delimiters.length > 0) return cutAt(body, delimiters, []);
  }
  const guessed = guessBoundary(body);
  const found = guessed === null ? [] : findDelimiters(body, guessed);
  return cutAt(body, found, ["mime.boundary-missing"]);
}

/** Trailing blanks are not allowed in a boundary, but occur. */
const spellingsOf = (boundary: string) =>
  [...new Set([boundary, boundary.trimEnd()])].filter((spelling) => spelling.trim() !== "");

interface Delimiter {
  /** Start of the line break before the delimiter. */
  readonly start: number;
  readonly next: number;
  readonly isClosing: boolean;
}

const delimitersMax = 5000;

/** Lines with the boundary, followed at most by `--` or by text after a blank: another boundary may begin alike. */
function findDelimiters(body: Buffer, boundary: string): Delimiter[] {
  const needle = Buffer.from(`--${boundary}`, "latin1");
  const found: Delimiter[] = [];
  for (let at = body.indexOf(needle); at >= 0; at = body.indexOf(needle, at + needle.length)) {
    if (at > 0 && body[at - 1] !== 10) continue;
    let end = at + needle.length;
    const isClosing = body[end] === 45 && body[end + 1] === 45;
    if (isClosing) end += 2;
    if (end < body.length && !isBlankOrBreak(body[end]!)) continue;
    const newline = body.indexOf(10, end);
    const next = newline < 0 ? body.length : newline + 1;
    found.push({ start: startOfBreak(body, at), next, isClosing });
    if (found.length >= delimitersMax) break;
  }
  return found;
}

/** The line break before a boundary belongs to the boundary. */
function startOfBreak(body: Buffer, at: number): number {
  if (at === 0) return 0;
  return body[at - 2] === 13 ? at - 2 : at - 1;
}

function cutAt(body: Buffer, delimiters: readonly Delimiter[], flags: readonly string[]): Split {
  const sections: Section[] = [];
  const problems = new Set(flags);
  let last: Delimiter | null = null;
  for (const delimiter of delimiters) {
    // The epilogue follows a closing boundary, up to the next part, if any.
    if (last !== null && !last.isClosing) {
      sections.push({
        bytes: body.subarray(last.next, Math.max(last.next, delimiter.start)),
        isLast: delimiter.isClosing,
      });
    }
    last = delimiter;
  }
  if (last !== null && !last.isClosing) {
    problems.add("mime.truncated");
    if (last.next < body.length) sections.push({ bytes: body.subarray(last.next), isLast: true });
  }
  const preamble = delimiters[0] ? body.subarray(0, delimiters[0].start) : body;
  return { sections, preamble, flags: [...problems] };
}

const isBlankOrBreak = (byte: number) => byte === 10 || byte === 13 || byte === 32 || byte === 9;

const guessLinesMax = 2000;

/** The first line that begins with `--`, has no blanks, and is followed by a part's field. */
function guessBoundary(body: Buffer): string | null {
  let at = 0;
  for (let i = 0; i < guessLinesMax && at < body.length; i++) {
    const newline = body.indexOf(10, at);
    const next = newline < 0 ? body.length : newline + 1;
    if (body[at] === 45 && body[at + 1] === 45 && next - at < 200) {
      const line = body.toString("latin1", at + 2, next).trimEnd();
      const below = body.toString("latin1", next, next + 9).toLowerCase();
      if (/^[^\s]{4,}$/.test(line) && !/^-+$/.test(line) && below === "content-t") return line;
    }
    at = next;
  }
  return null;
}
