import type { Line } from "../layout/lines.ts";
import { makeRows, makeSegments, median } from "../layout/rows.ts";
import type { Word } from "../layout/words.ts";
import { type Page, wordsOf } from "../page-text.ts";
import type { Box } from "../pdf/upright.ts";
import { type Area, boxOfWords, type RawEntry, readArea, textsOf } from "./entries.ts";
import { type Column, findHeads, type Head, type SplitRow, withToldRoles } from "./heads.ts";
import { readIndentedMessages } from "./indented-messages.ts";
import { readLists } from "./lists.ts";
import { readMessages } from "./messages.ts";
import { readParagraphs } from "./paragraphs.ts";
import { nothingPromised, type Promised } from "./promised.ts";
import type { Role } from "./roles.ts";

/** Columns that go on over the end of a page. */
export interface Carried {
  readonly roles: readonly string[];
  readonly starts: readonly number[];
}

export interface TroubleEntry {
  readonly kind: "trouble" | "parts";
  readonly texts: Readonly<Partial<Record<Role, string>>>;
  readonly box: Box;
  readonly quote: string;
  /** The witness of a trouble table: the head row, or the fields below. */
  readonly witness: string;
  readonly reader: "columns" | "paragraphs" | "lists";
}

export interface Harvest {
  readonly entries: readonly TroubleEntry[];
  /** Columns still open at the end of the page. */
  readonly open: Carried | null;
  /** The first rows have a head of their own, so that nothing is carried over. */
  readonly headed: boolean;
  /** A heading or prose on the page ends what was carried over. */
  readonly closes: boolean;
}

/** Carried instead of columns: the fields of a paragraph go on. */
export const fields = "fields";

/** Running heads of a page whose plan is not at hand. */
const withoutMargins = (rows: readonly SplitRow[], height: number): readonly SplitRow[] =>
  rows.filter(({ y1, y0 }) => y1 > 0.09 * height && y0 < 0.94 * height);

/** Gap that parts cells: smaller than that of lines, because columns stand close. */
const gapOfCells = 0.75;

/** Entries of one page: below heads, below columns carried over, or as paragraphs with fields. */
export function readTroubles(
  page: Page,
  carried: Carried | null,
  next: Page | null,
  promised: Promised = nothingPromised,
): Harvest {
  const { rows, horizontal, body } = splitPage(page);
  const heads = findHeads(rows, horizontal, body);
  const [first] = heads;
  const headed = first !== undefined && first.first <= 3;
  const options = { horizontal, body, pageHeight: page.height };
  const entries: TroubleEntry[] = [];
  let open: Carried | null = null;
  let closes = false;
  const columnsOf = carried && !headed && carried.roles[0] !== fields ? uncarry(carried) : null;
  if (columnsOf) {
    const area = readArea(rows.slice(0, first?.first ?? rows.length), { ...options, ...columnsOf });
    closes = !area.open;
    entries.push(...finish(area, columnsOf, "columns carried over from the page before"));
    if (area.open && !first) open = carried;
  }
  for (const [index, found] of heads.entries()) {
    const below = rows.slice(found.last + 1, heads[index + 1]?.first ?? rows.length);
    const head = withToldRoles(found, below);
    const area = readArea(below, { ...options, ...head });
    const isLast = index === heads.length - 1;
    const more = isLast && area.open && next ? continuationOf(next, head) : null;
    entries.push(...finish(more ? grown(area, more) : area, head, head.text));
    if (isLast) open = area.open ? carry(head) : null;
  }
  if (heads.length === 0 && !columnsOf) {
    const read = readParagraphs(rows, next ? withoutMargins(splitPage(next).rows, next.height) : []);
    entries.push(...read.entries);
    if (read.open) open = { roles: [fields], starts: [0] };
  }
  if (entries.length === 0) entries.push(...readLists(rows, promised));
  if (entries.length === 0) entries.push(...readMessages(rows, promised));
  if (entries.length === 0) entries.push(...readIndentedMessages(rows, promised));
  return { entries, open, headed, closes };
}

function splitPage(page: Page) {
  const words = wordsOf(page);
  const vertical = page.vertical.map(lineOf);
  const rows: readonly SplitRow[] = makeRows(words).map((row) => ({
    ...row,
    segments: makeSegments(row, gapOfCells, vertical),
  }));
  return {
    rows,
    horizontal: page.horizontal.map(lineOf),
    body: median(words.map(({ height }) => height)) || 10,
  };
}

const lineOf = ([at, from, to]: readonly [number, number, number]): Line => ({ at, from, to });

/** The rows at the top of the next page that belong to the last entry of this one. */
function continuationOf(next: Page, head: Head): Area["leading"] {
  const { rows, horizontal, body } = splitPage(next);
  const heads = findHeads(rows, horizontal, body);
  const own = heads[0] && heads[0].first <= 3 ? [] : rows;
  const running = own[0] && own[0].y1 < 0.08 * next.height ? own.slice(1) : own;
  const area = readArea(running, { horizontal, body, pageHeight: next.height, ...head });
  return area.entries.length > 0 || !area.open ? area.leading : [];
}

function grown(area: Area, more: Area["leading"]): Area {
  const last = area.entries.at(-1);
  if (!last) return area;
  const longer: RawEntry = { rows: [...last.rows, ...more], words: last.words };
  return { ...area, entries: [...area.entries.slice(0, -1), longer] };
}

const carry = ({ columns, kind }: Head): Carried => ({
  roles: [kind, ...columns.map(({ role }) => role ?? "")],
  starts: [0, ...columns.flatMap(({ x0, x1 }) => [x0, x1])],
});

function uncarry({ roles, starts }: Carried): { columns: readonly Column[]; kind: Head["kind"] } {
  const columns = roles.slice(1).map((role, index) => ({
    role: role === "" ? null : (role as Role),
    x0: starts[1 + 2 * index] ?? 0,
    x1: starts[2 + 2 * index] ?? 0,
  }));
  return { columns, kind: roles[0] === "parts" ? "parts" : "trouble" };
}

function finish(
  { entries }: Area,
  { columns, kind }: { readonly columns: readonly Column[]; readonly kind: Head["kind"] },
  witness: string,
): readonly TroubleEntry[] {
  return entries.flatMap((entry): TroubleEntry[] => {
    const texts: Partial<Record<Role, string>> = {};
    for (const [index, text] of textsOf(entry, columns).entries()) {
      const role = columns[index]?.role;
      if (role && text !== "") texts[role] = texts[role] ? `${texts[role]} ${text}` : text;
    }
    if (kind === "trouble" && !texts.cause && !texts.remedy && !texts.problem && !texts.description)
      return [];
    const quote = quoteOf(entry);
    return [{ kind, texts, box: boxOfWords(entry.words), quote, witness, reader: "columns" }];
  });
}

/** The first filled cell of the entry's first row: words that stand side by side on the page. */
const quoteOf = ({ rows: [first] }: RawEntry): string => {
  const cell = first?.find((words: readonly Word[]) => words.length > 0) ?? [];
  return cell.map(({ text }) => text).join(" ");
};
