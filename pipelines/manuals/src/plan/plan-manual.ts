import type { DocumentOf } from "@headway/engine";
import type { plans, prints } from "../collections.ts";
import { fields } from "../harvest/read-troubles.ts";
import { namesRoles, roleOf } from "../harvest/roles.ts";
import { goesOn } from "../tables/over-pages.ts";

type Print = Omit<DocumentOf<typeof prints>, "id">;
type Plan = Omit<DocumentOf<typeof plans>, "id">;
type Short = Print["shorts"][number];

/** On so many pages, and this share of them, the same words at the same height are a running head. */
const running = { pagesMin: 3, share: 0.15, heightPoints: 6 } as const;
const headingLengthMax = 100;
const trailMax = 5;
const numbered = /^(?:\d+(?:\.\d+)*\.?\s+)?\p{Lu}/u;

/** Knows of each page what only the whole manual tells: running heads, headings and their levels, breadcrumbs. */
export function planManual(all: readonly Print[]): readonly Plan[] {
  const sorted = [...all].sort((one, other) => one.number - other.number);
  const repeated = findRepeated(sorted);
  const body = bodySize(sorted, repeated);
  const decoration = findDecoration(sorted);
  let open: Print["open"] = null;
  const crumbs: { size: number; level: number; text: string }[] = [];
  return sorted.map((print, index): Plan => {
    const top = crumbs.map(({ text }) => text).slice(-trailMax);
    const heads = runningOf(print, repeated);
    const own = print.shorts.filter((short) => !heads.has(short));
    const found = print.contents ? [] : own.flatMap((short) => headingOf(short, print, body) ?? []);
    const headings = found.map(({ block, size, level, text }) => {
      while (crumbs.length > 0 && isBelow(crumbs.at(-1), { size, level })) crumbs.pop();
      crumbs.push({ size, level, text });
      return { block, trail: crumbs.map((crumb) => crumb.text).slice(-trailMax) };
    });
    const { manual, number, pages, label, title, digest, standing, language, contents, cut, captions } =
      print;
    const next = sorted[index + 1];
    const carried = sorted[index - 1]?.number === number - 1 && !print.headed ? open : null;
    // Columns without a head of their own go on until something ends them.
    open = print.open ?? (print.closes || carried?.roles[0] === fields ? null : carried);
    const more = open !== null && next?.number === number + 1 && !next.headed;
    return {
      ...{
        manual,
        number,
        pages,
        label,
        title,
        digest,
        standing,
        language,
        contents,
        cut,
        captions,
        carried,
      },
      running: print.shorts.filter((short) => heads.has(short)).map(({ block }) => block),
      headings,
      trail: top,
      next: more ? next.digest : null,
      tableGoesOn: isContinued(sorted, index),
      tableNext: following(sorted, index),
      decoration: print.hashes.filter((hash) => decoration.has(hash)),
    };
  });
}

/** A table over more pages than this is told as several. */
const tablePagesMax = 60;

/** The page before ends in a table that this page begins with. */
function isContinued(sorted: readonly Print[], index: number): boolean {
  const [before, own] = [sorted[index - 1], sorted[index]];
  if (!before || !own || before.number !== own.number - 1 || before.contents || own.contents) return false;
  return goesOn(before.tables.foot, own.tables.top);
}

/** Digests of the pages on which the last table of this page goes on. */
function following(sorted: readonly Print[], index: number): readonly string[] {
  const found: string[] = [];
  for (let at = index + 1; at < Math.min(sorted.length, index + tablePagesMax); at++) {
    const before = sorted[at - 1];
    // A page in the middle has nothing but the table.
    if (!isContinued(sorted, at) || (at > index + 1 && (before?.tables.count ?? 0) !== 1)) break;
    found.push(sorted[at]?.digest ?? "");
  }
  return found;
}

/** The same picture on three pages or more: a logo, a line, a sign. */
function findDecoration(all: readonly Print[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { hashes } of all) for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count >= running.pagesMin).map(([hash]) => hash));
}

/** Digits may differ: page numbers do. */
const keyOf = ({ text, y }: Short): string =>
  `${text.replaceAll(/\d+/g, "#").trim()}@${Math.round(y / running.heightPoints)}`;

function findRepeated(all: readonly Print[]): ReadonlySet<string> {
  const places = new Map<string, Map<number, string>>();
  for (const { shorts, number } of all)
    for (const short of shorts) {
      const key = keyOf(short);
      places.set(key, (places.get(key) ?? new Map<number, string>()).set(number, short.text));
    }
  const least = Math.max(running.pagesMin, running.share * all.length);
  return new Set(
    [...places]
      .filter(([key, on]) => on.size >= least && !isTableHead(key) && isSameOrCounts([...on]))
      .map(([key]) => key),
  );
}

/** The same text on most pages, or a number growing with the pages: codes of a table grow faster. */
function isSameOrCounts(on: readonly (readonly [page: number, text: string])[]): boolean {
  const steps = on.slice(1).map(([page, text], index) => {
    const [before, old] = on[index] ?? [page, text];
    const numbers = (of: string) => (of.match(/\d+/g) ?? []).map(Number);
    const grown = numbers(text).map((number, at) => number - (numbers(old)[at] ?? 0));
    return text === old || grown.some((by) => by === page - before);
  });
  return steps.filter(Boolean).length >= 0.5 * steps.length;
}

/** Repeated blocks at the top and the foot: cells of a regular table repeat in the middle. */
function runningOf({ shorts }: Print, repeated: ReadonlySet<string>): ReadonlySet<Short> {
  const sorted = [...shorts].sort((one, other) => one.y - other.y);
  const heads = shorts.filter((short) => isTableHead(keyOf(short)));
  const isOther = (short: Short) =>
    !repeated.has(keyOf(short)) || heads.some(({ y }) => Math.abs(y - short.y) < running.heightPoints / 2);
  const first = sorted.findIndex(isOther);
  const last = sorted.findLastIndex(isOther);
  return new Set(first < 0 ? sorted : [...sorted.slice(0, first), ...sorted.slice(last + 1)]);
}

/** The head of a table over several pages stands at the same height, like a running head. */
const isTableHead = (key: string): boolean => {
  const text = key.slice(0, key.lastIndexOf("@"));
  return roleOf(text) !== null || namesRoles(text);
};

/** The size that most letters of the manual have. */
function bodySize(all: readonly Print[], repeated: ReadonlySet<string>): number {
  const counts = new Map<number, number>();
  for (const { sizes, shorts } of all) {
    for (const [size, count] of sizes) counts.set(size, (counts.get(size) ?? 0) + count);
    for (const short of shorts.filter((one) => repeated.has(keyOf(one))))
      counts.set(Math.round(short.size), (counts.get(Math.round(short.size)) ?? 0) - short.text.length);
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? 10;
}

interface Heading extends Short {
  /** By the bookmark that leads here; −1: only its look tells. */
  readonly level: number;
}

function headingOf(short: Short, { marks }: Print, body: number): Heading | null {
  const { text, size, bold } = short;
  if (text.length > headingLengthMax || !/\p{L}{2}/u.test(text)) return null;
  const mark = marks.find(({ title }) => title.length > 2 && plain(text).endsWith(plain(title)));
  if (mark) return { ...short, level: mark.depth };
  const large = Math.round(size) >= body * 1.12;
  return large || (bold && numbered.test(text)) ? { ...short, level: -1 } : null;
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");

/** A heading ends those that are as deep as it is; bookmarks know the depth, else the size of the letters does. */
function isBelow(
  last: { size: number; level: number } | undefined,
  next: { size: number; level: number },
): boolean {
  if (!last) return false;
  if (last.level >= 0 && next.level >= 0) return last.level >= next.level;
  return last.size <= next.size + 0.5;
}
