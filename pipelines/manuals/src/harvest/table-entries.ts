import type { Box } from "../pdf/upright.ts";
import { isHistory, kindOf, type Role, roleOf } from "./roles.ts";
import { tellRoles } from "./tell-roles.ts";

/** A cell of a table that was found: place, spans, text, and where it stands. */
export interface EntryCell {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
  readonly page: number;
  readonly box: Box;
  readonly text: string;
}

export interface TableEntry {
  readonly kind: "trouble" | "parts";
  readonly page: number;
  readonly texts: Readonly<Partial<Record<Role, string>>>;
  readonly box: Box;
  readonly quote: string;
  readonly witness: string;
}

/** Rows in which a head may stand: a title may be above, and a head may take two. */
const headRows = 4;

/** Entries of a drawn table: the head names the columns, a cell over several rows holds for all these rows. */
export function readTableEntries(cells: readonly EntryCell[]): readonly TableEntry[] {
  const head = findHead(cells);
  if (!head) return [];
  const { roles, kind, last, text } = head;
  const key = keyColumn(roles, kind);
  const filled = cells.filter((cell) => cell.row > last && cell.text !== "" && cell.text !== text);
  const starts = filled
    .filter((cell) => cell.column === key && !isHeadAgain(cell, roles))
    .sort((a, b) => a.row - b.row);
  return starts.flatMap((start, index): readonly TableEntry[] => {
    // A row without a key continues the entry above.
    const end = (starts[index + 1]?.row ?? Number.POSITIVE_INFINITY) - 1;
    const own = filled.filter(
      (cell) =>
        cell.row + cell.rows - 1 >= start.row &&
        cell.row <= Math.max(end, start.row) &&
        (cell.row >= start.row || cell.column < key),
    );
    const texts = textsOf(own, roles);
    return isEntry(texts, kind)
      ? [{ kind, page: start.page, texts, ...shown(start, own), witness: text }]
      : [];
  });
}

interface Head {
  readonly roles: readonly (Role | null)[];
  readonly kind: "trouble" | "parts";
  readonly last: number;
  readonly text: string;
}

function findHead(cells: readonly EntryCell[]): Head | null {
  const columns = Math.max(0, ...cells.map(({ column, columns: wide }) => column + wide));
  const below = (last: number) =>
    Array.from({ length: columns }, (_, column) =>
      cells
        .filter((cell) => cell.row > last && cell.column === column && cell.text !== "")
        .map(({ text }) => text),
    );
  for (let row = 0; row < headRows; row++) {
    const own = cells.filter((cell) => cell.row === row && cell.text !== "");
    const roles = Array.from({ length: columns }, (_, column): Role | null => {
      const cell = own.find((one) => one.column <= column && one.column + one.columns > column);
      return cell ? roleOf(cell.text) : null;
    });
    const last = Math.max(...own.map((cell) => cell.row + cell.rows - 1));
    const kind = kindOf(roles);
    if (!kind || isHistory(own.map(({ text }) => text))) continue;
    return {
      roles: kind === "trouble" ? tellRoles(roles, below(last)) : roles,
      kind,
      last,
      text: own.map(({ text }) => text).join(" | "),
    };
  }
  return null;
}

/** The column that begins an entry. */
function keyColumn(roles: readonly (Role | null)[], kind: Head["kind"]): number {
  const wanted: readonly Role[] =
    kind === "parts" ? ["part", "position", "description"] : ["code", "problem", "description", "cause"];
  return wanted.map((role) => roles.indexOf(role)).find((at) => at >= 0) ?? 0;
}

const isHeadAgain = ({ text }: EntryCell, roles: readonly (Role | null)[]): boolean => {
  const role = roleOf(text);
  return role !== null && roles.includes(role);
};

function textsOf(
  cells: readonly EntryCell[],
  roles: readonly (Role | null)[],
): Partial<Record<Role, string>> {
  const texts: Partial<Record<Role, string>> = {};
  for (const { column, text } of [...cells].sort((a, b) => a.row - b.row || a.column - b.column)) {
    const role = roles[column];
    if (!role) continue;
    const before = texts[role];
    texts[role] = before === undefined ? text : `${before}\n${text}`;
  }
  return texts;
}

/** A title over the whole width is no entry, nor is a row with nothing but its key. */
function isEntry(texts: Partial<Record<Role, string>>, kind: Head["kind"]): boolean {
  if (kind === "parts")
    return [texts.part, texts.position].some((text) => text !== undefined && /\d/.test(text));
  const said = [texts.problem, texts.cause, texts.remedy, texts.description].filter(
    (text) => text !== undefined,
  );
  return texts.code === undefined ? said.length >= 2 : said.length >= 1;
}

function shown(start: EntryCell, own: readonly EntryCell[]): { readonly box: Box; readonly quote: string } {
  const same = own.filter(({ page }) => page === start.page).map(({ box }) => box);
  const box: Box = [
    Math.min(...same.map(([x0]) => x0)),
    Math.min(...same.map(([, y0]) => y0)),
    Math.max(...same.map(([, , x1]) => x1)),
    Math.max(...same.map(([, , , y1]) => y1)),
  ];
  return { box, quote: start.text };
}
