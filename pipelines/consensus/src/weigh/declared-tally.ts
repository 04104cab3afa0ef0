import type { Tally } from "./findings.ts";

/**
 * The numbers of a declared result, as people write them.
 *
 * | written                                         | is                       |
 * |-------------------------------------------------|--------------------------|
 * | "+1: 4", "[4] +1", "+1 x 4"                     | a number                 |
 * | "+1 (binding): Ann Lee, Bo Kim", or names below | one for each name        |
 * | "Ann Lee +1", "+1 Ann Lee" on lines             | one for each line        |
 * | "Vote summary: 4/0/1"                           | for, against, abstaining |
 * | "passes with 5 +1 votes, no -1"                 | a number, if no list is  |
 */
export const declaredTally = (text: string): Tally | null => readDeclared(text).tally;

/** The names in the lists of a declared result, as written. */
export const declaredNames = (text: string): readonly string[] => readDeclared(text).names;

function readDeclared(text: string): { readonly tally: Tally | null; readonly names: readonly string[] } {
  const names: string[] = [];
  const tally = readTally(text, names);
  return { tally, names };
}

function readTally(text: string, names: string[]): Tally | null {
  const sums = { for: 0, against: 0, abstain: 0 };
  const add = (sign: string, votes: number): void => {
    sums[/^\+1/.test(sign) ? "for" : /^[−–-]1/.test(sign) ? "against" : "abstain"] += votes;
  };
  const listed = readLists(text.split("\n").slice(0, linesMax), add, names);
  if (listed && sums.for + sums.against + sums.abstain > 0) return sums;
  const summary = inSlashes.exec(text);
  if (summary) return { for: Number(summary[1]), against: Number(summary[2]), abstain: Number(summary[3]) };
  const counted = [...text.matchAll(inWords)];
  for (const [, votes, sign] of counted) add(sign!, asNumber(votes!));
  const times = [...text.matchAll(inTimes)];
  for (const [, sign, votes] of times) add(sign!, Number(votes));
  return listed || counted.length + times.length > 0 ? sums : null;
}

/** "Vote summary: 4/0/0". */
const inSlashes =
  /\b(?:vote|votes|summary|result|results|tally)\b[^\n/]{0,30}?[ \t:(](\d{1,3})[ \t]?\/[ \t]?(\d{1,3})[ \t]?\/[ \t]?(\d{1,3})(?![\d/])/i;
const linesMax = 300;
const lineLengthMax = 500;
const sign = "[+−–-]1|[+−±-]0";
const numbers = "no zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const count = `\\d{1,3}|${numbers.join("|")}`;
/** "no" and "zero" both mean nothing, so "one" is at index 2. */
const asNumber = (word: string): number =>
  /\d/.test(word) ? Number(word) : Math.max(0, numbers.indexOf(word.toLowerCase()) - 1);

const inWords = new RegExp(
  `(?<![\\d.+-])\\b(${count})[ \\t]{0,2}(?:x[ \\t]|\\(?(?:non-?)?binding\\)?[ \\t]|votes? (?:of|for)?[ \\t]?)?["“'(]?(${sign})(?!\\d)`,
  "gi",
);
const inTimes = new RegExp(`(${sign})["”']?[ \\t]*(?:x|×|=)[ \\t]*(\\d{1,3})\\b`, "gi");
const boxed = new RegExp(`^[ \\t*•-]{0,6}\\[[ \\t]*(\\d{1,3})[ \\t]*\\][ \\t]*(${sign}|0)(?!\\d)`);
const labelled = new RegExp(`^[ \\t*•-]{0,6}["'(]?(${sign}|0(?=[ \\t]*[:=(]))["')]?(?!\\d)(.*)$`, "i");
const afterLabel =
  /^[ \t]*(?:\([^)]{0,40}\)[ \t]*|\[[^\]]{0,40}\][ \t]*|(?:non-?)?binding[ \t]*|votes?[ \t]*|from[ \t]+){0,4}(?:[:=–x-][ \t]*|\([^)]{0,40}\)[ \t]*){0,2}/i;
const nameFirst = new RegExp(
  `^[ \\t*•-]{0,6}(\\p{Lu}[^+:]{1,60}?)[ \\t]{0,20}[:–-]?[ \\t]{0,20}(${sign})(?:[ \\t]{0,20}\\(?[^()]{0,40}\\)?)?[ \\t\\r]*$`,
  "u",
);

/** True if there is a list; its votes are added. */
function readLists(
  lines: readonly string[],
  add: (sign: string, votes: number) => void,
  names: string[],
): boolean {
  const countNames = (line: string): number => {
    const found = namesIn(line);
    names.push(...found);
    return found.length;
  };
  let isFound = false;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!.slice(0, lineLengthMax);
    const box = boxed.exec(line);
    const label = box ? null : labelled.exec(line);
    const named = box || label ? null : nameFirst.exec(line);
    if (box) add(box[2]!, Number(box[1]));
    else if (named && isNames(named[1]!)) {
      add(named[2]!, 1);
      countNames(named[1]!);
    } else if (label) {
      const rest = label[2]!.replace(afterLabel, "").trim();
      const number = new RegExp(`^(${count})\\b`, "i").exec(rest)?.[1];
      const below = rest === "" ? namesBelow(lines, index + 1, countNames) : { votes: 0, next: index + 1 };
      add(
        label[1]!,
        number === undefined
          ? countNames(rest) + countNames(wrapped(lines, index, rest)) + below.votes
          : asNumber(number),
      );
      index = below.next - 1;
    } else continue;
    isFound = true;
  }
  return isFound;
}

/** Names wrapped from the line of their sign. */
function wrapped(lines: readonly string[], index: number, rest: string): string {
  const next = lines[index + 1]?.slice(0, lineLengthMax) ?? "";
  return /,[ \t\r]*$/.test(rest) && !labelled.test(next) && isNames(next) ? next : "";
}

/** One name per line below a sign, after at most one empty line. */
function namesBelow(
  lines: readonly string[],
  from: number,
  countNames: (line: string) => number,
): { readonly votes: number; readonly next: number } {
  let next = from;
  if (lines[next]?.trim() === "") next++;
  let votes = 0;
  for (; next < lines.length; next++) {
    const line = lines[next]!.slice(0, lineLengthMax);
    if (line.trim() === "" || labelled.test(line) || !isNames(line)) break;
    votes += countNames(line);
  }
  return { votes, next };
}

const partsOf = (line: string): readonly string[] =>
  line.split(/[,;]|[ \t]and[ \t]/).filter((part) => /\S/.test(part));

const namesIn = (line: string): readonly string[] =>
  isNames(line) ? partsOf(line).filter((part) => !/^[ \t]*(?:none|no one|nobody|n\/a)\b/i.test(part)) : [];

const noName =
  /\b(?:votes?|voted|voting|there|were|was|we|have|has|the|with|passed|passes|result|results|thanks|binding|received|total|no|three|four|five)\b/i;

/** A line of only names. */
const isNames = (line: string): boolean => partsOf(line).every(isName);

function isName(part: string): boolean {
  if (/^[ \t*•-]{0,8}(?:none|nobody|no one|n\/a)[ \t\r.]{0,4}$/i.test(part)) return true;
  const bare = part.replace(/\([^()]{0,40}\)|<[^<>]{0,80}>/g, "");
  if (noName.test(bare) || bare.trim().split(/[ \t]+/).length > 6) return false;
  return /^[ \t*•\d.)-]{0,8}\p{Lu}[^!?:]{0,80}$/u.test(bare);
}
