import { nameWords } from "./people.ts";

interface Voters {
  readonly author: string;
  /** Whether a word is part of another person's name in the thread. */
  readonly isOtherName: (word: string) => boolean;
}

/**
 * Lines that report other people's votes: "+1 Ann Lee" below "+1 Bo Kim", "+1 (binding): Ann, Bo". A single line with
 * two capitals may be praise ("+1 Great Work"), unless the name is known in the thread.
 */
export function linesOfOthers(lines: readonly string[], voters: Voters): ReadonlySet<number> {
  const named = lines.flatMap((line, index) => {
    const names = namesAfterVote(line.slice(0, lineLengthMax));
    return names === null ? [] : [{ index, names }];
  });
  const isList =
    named.filter(({ names }) => names.some((name) => /\S[ \t]+\S/.test(name))).length > 1 ||
    named.some(({ names }) => names.length > 1);
  const others = named.filter(({ names }) => {
    if (names.length === 1 && isOwnName(names[0]!, voters.author)) return false;
    return isList || names.some((name) => nameWords(name).some(voters.isOtherName));
  });
  return new Set(others.map(({ index }) => index));
}

const lineLengthMax = 300;
const voteFirst =
  /^[ \t*•-]{0,8}[+−–-][01](?:\.\d)?(?:[ \t]{0,9}\([^()]{0,30}\)|[ \t]{1,9}(?:non-?)?binding(?: votes?)?)?[ \t]{0,9}[:–-]?[ \t]{1,9}(\S.{0,250})$/iu;
const fullName =
  /^(?:\p{Lu}[\p{L}.'’-]{0,30}|d[aeiu]|v[ao]n|der|den|la|le|al|bin)(?:[ \t]+(?:\p{Lu}[\p{L}.'’-]{0,30}|d[aeiu]|v[ao]n|der|den|la|le|al|bin)){0,3}$/u;

function namesAfterVote(line: string): readonly string[] | null {
  const rest = voteFirst.exec(line)?.[1];
  if (rest === undefined) return null;
  const parts = rest
    .replace(/\([^()]{0,60}\)|<[^<>]{0,80}>|\*/g, " ")
    .split(/[,;]|[ \t]and[ \t]/)
    .map((part) => part.trim().replace(/[.]$/, ""))
    .filter((part) => part !== "");
  return parts.length > 0 && parts.every((part) => fullName.test(part)) ? parts : null;
}

export function isOwnName(text: string, author: string): boolean {
  const own = new Set(nameWords(author));
  const words = nameWords(text).slice(0, 3);
  return words.length > 0 && own.has(words[0]!);
}

interface Box {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const boxFirst = /\[[ \t]{0,3}([xX✓✔*]?)[ \t]{0,3}\][ \t]{0,3}([+−–±-]?\d)(?!\d)/g;
const boxLast = /([+−–±-]?\d)[ \t]{0,3}\[[ \t]{0,3}([xX✓✔*]?)[ \t]{0,3}\]/g;

/** The marked boxes of a ballot on one line, "[ ] +1 [x] 0 [ ] -1"; null for any other line. */
export function readBoxes(line: string): readonly Box[] | null {
  const before = [...line.slice(0, lineLengthMax).matchAll(boxFirst)];
  if (before.length > 1 && !/^[ \t]*[+−–±-]?\d/.test(line))
    return before.flatMap((match) => (match[1] === "" ? [] : [boxOf(match, match[2]!)]));
  const after = [...line.slice(0, lineLengthMax).matchAll(boxLast)];
  if (after.length < 2) return null;
  return after.flatMap((match) => (match[2] === "" ? [] : [boxOf(match, match[1]!)]));
}

const boxOf = (match: RegExpExecArray, value: string): Box => ({
  value,
  start: match.index,
  end: match.index + match[0].length,
});
