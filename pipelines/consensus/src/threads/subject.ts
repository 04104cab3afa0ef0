/** The topic of a subject line, without prefixes and tags. */
export interface Subject {
  /** For display: without prefixes and list tags, in original case. */
  readonly text: string;
  /** For comparison: two messages on one topic have the same base. */
  readonly base: string;
  readonly isReply: boolean;
  readonly isForward: boolean;
}

/**
 * The base subject of RFC 5256, with three additions: prefixes of other languages count, a counted prefix (`Re[2]:`)
 * counts, and a tag that describes the message (`[PATCH 2/3]`, `[VOTE]`) is content and stays.
 */
export function normaliseSubject(subject: string): Subject {
  const line = subject.slice(0, subjectCharsMax).normalize("NFC").replace(/\s+/g, " ").trim();
  const seen = { isReply: false, isForward: false };
  let rest = { start: 0, end: line.length };
  for (;;) {
    const trimmed = skipLeaders(line, skipTrailers(line, rest, seen), seen);
    const inner = unwrapForward(line, trimmed);
    if (inner === null) {
      const text = line.slice(trimmed.start, trimmed.end);
      return { text, base: text.toLowerCase(), ...seen };
    }
    seen.isForward = true;
    rest = inner;
  }
}

/** Later characters do not distinguish subjects. */
const subjectCharsMax = 2_000;

interface Stretch {
  readonly start: number;
  readonly end: number;
}

interface Seen {
  isReply: boolean;
  isForward: boolean;
}

function skipTrailers(line: string, { start, end }: Stretch, seen: Seen): Stretch {
  let last = end;
  for (;;) {
    if (last > start && line[last - 1] === " ") last -= 1;
    if (last - start < 5 || line.slice(last - 5, last).toLowerCase() !== "(fwd)") return { start, end: last };
    seen.isForward = true;
    last -= 5;
  }
}

/** Skips prefixes and tags; a subject of only a tag stays. */
function skipLeaders(line: string, { start, end }: Stretch, seen: Seen): Stretch {
  let first = start;
  for (;;) {
    if (first < end && line[first] === " ") first += 1;
    const prefix = prefixAt(line, first, end);
    if (prefix !== null) {
      if (prefix.kind === "reply") seen.isReply = true;
      else seen.isForward = true;
      first = prefix.end;
      continue;
    }
    const tagged = tagAt(line, first, end);
    if (tagged === null) return { start: first, end };
    // List software puts its tag before an existing "Re:", so such a tag is no content.
    const isContent = contentTag.test(line.slice(first + 1, first + 80).split("]", 1)[0] as string);
    if (tagged >= end || (isContent && prefixAt(line, tagged, end) === null)) return { start: first, end };
    first = tagged;
  }
}

/** `[fwd: …]`, as some mailers write a forward. */
function unwrapForward(line: string, { start, end }: Stretch): Stretch | null {
  const isWrapped = line[end - 1] === "]" && line.slice(start, start + 5).toLowerCase() === "[fwd:";
  return isWrapped && start + 5 < end ? { start: start + 5, end: end - 1 } : null;
}

const replyWords = new Set(
  [
    "re aw antw antwort sv svar vs rif r res ref réf odp ynt vá atb bls blz ats rép resp",
    "απ σχετ отв ответ на השב תגובה رد 回复 回覆 答复 答覆 回信 返信 답장 회신",
  ].flatMap((words) => words.split(" ")),
);
const forwardWords = new Set(
  [
    "fw fwd wg tr enc rv vb vl pd i̇lt ilt doorst trs továbbítás",
    "πρθ пересл пер הועבר 转发 轉寄 轉發 転送 전달",
  ].flatMap((words) => words.split(" ")),
);

/** A sender's description of the message, never used as a tag by list software. */
const contentTag =
  /\b(?:patch|pull|rfc|rfe|vote|votes|result|results|discuss|discussion|proposal|poll|announce|announcement|ann|call|consensus|cancel|canceled|cancelled|notice|security|cve-\d+|bug|issue)\b|\d\/\d|#\d/i;

/** A word, perhaps how often (`Re[2]`, `Re^3`, `Re (4)`), perhaps a tag, a colon. */
const prefixPattern =
  /([\p{L}\p{M}]{1,12})\.? ?(?:[[(]\d{1,4}[\])]|[\^*-]?\d{1,3})? ?(?:\[[^[\]]{0,60}\] ?)?[:：]/uy;

function prefixAt(
  line: string,
  at: number,
  end: number,
): { readonly kind: "reply" | "forward"; readonly end: number } | null {
  prefixPattern.lastIndex = at;
  const found = prefixPattern.exec(line);
  if (found === null || prefixPattern.lastIndex > end) return null;
  const word = (found[1] as string).toLowerCase();
  // "TR-069: …" and "VS 2019: …" are names, while "Re2:" can only be a count.
  if (word !== "re" && word !== "aw" && /^[^[(:：]*\d/.test(found[0])) return null;
  if (replyWords.has(word)) return { kind: "reply", end: prefixPattern.lastIndex };
  if (forwardWords.has(word)) return { kind: "forward", end: prefixPattern.lastIndex };
  return null;
}

/** End of the tag that begins here, with the following space. */
function tagAt(line: string, at: number, end: number): number | null {
  if (line[at] !== "[") return null;
  for (let next = at + 1; next < end; next += 1) {
    if (line[next] === "[") return null;
    if (line[next] === "]") return next + 1 < end && line[next + 1] === " " ? next + 2 : next + 1;
  }
  return null;
}
