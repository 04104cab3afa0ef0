import type { Line } from "../layout/lines.ts";
import type { Row, Segment } from "../layout/rows.ts";
import { isHistory, kindOf, type Role, roleOf } from "./roles.ts";
import { tellRoles } from "./tell-roles.ts";

export interface Column {
  readonly role: Role | null;
  readonly x0: number;
  readonly x1: number;
}

/** A row with the roles of the columns below. */
export interface Head {
  readonly kind: "trouble" | "parts";
  readonly columns: readonly Column[];
  /** First and last row: a narrow head takes two rows. */
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

export interface SplitRow extends Row {
  readonly segments: readonly Segment[];
}

/** Head rows, also over two or three lines: narrow columns have "Error / code". */
export function findHeads(
  rows: readonly SplitRow[],
  horizontal: readonly Line[],
  body: number,
): readonly Head[] {
  const heads: Head[] = [];
  for (let at = 0; at < rows.length; at++) {
    const head = headAt(rows, at, horizontal, body);
    if (!head) continue;
    heads.push(head);
    at = head.last;
  }
  return heads;
}

function headAt(
  rows: readonly SplitRow[],
  at: number,
  horizontal: readonly Line[],
  body: number,
): Head | null {
  let best: { head: Head; score: number } | null = null;
  let cells: readonly Cell[] = (rows[at]?.segments ?? []).map(({ text, x0, x1 }) => ({ text, x0, x1 }));
  for (let last = at; last < Math.min(rows.length, at + 3); last++) {
    if (last > at) {
      if (!isClose(rows[last - 1], rows[last], horizontal, body)) break;
      cells = stack(cells, rows[last]?.segments ?? []);
    }
    const columns = cells.map(({ text, x0, x1 }) => ({ role: roleOf(text), x0, x1 }));
    const roles = columns.map(({ role }) => role);
    const kind = kindOf(roles);
    const known = roles.filter((role) => role !== null).length;
    if (!kind || known < 0.5 * columns.length || columns.length > 9) continue;
    if (isHistory(cells.map(({ text }) => text))) continue;
    const score = new Set(roles.filter((role) => role !== null)).size + (roles.includes("code") ? 1 : 0);
    if (best && score <= best.score) continue;
    const text = cells.map((cell) => cell.text).join(" | ");
    best = { head: { kind, columns, first: at, last, text }, score };
  }
  return best?.head ?? null;
}

interface Cell {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
}

function isClose(
  above: Row | undefined,
  below: Row | undefined,
  lines: readonly Line[],
  body: number,
): boolean {
  if (!above || !below || below.y0 - above.y1 > 0.7 * body) return false;
  return !lines.some(({ at, from, to }) => at > above.middle && at < below.middle && to - from > 30);
}

/** Puts the words of the next line under the words above; words alone are another column. */
function stack(cells: readonly Cell[], segments: readonly Segment[]): readonly Cell[] {
  const grown = cells.map((cell) => ({ ...cell }));
  for (const { text, x0, x1 } of segments) {
    const above = grown.find((cell) => Math.min(cell.x1, x1) - Math.max(cell.x0, x0) > 0);
    if (!above) grown.push({ text, x0, x1 });
    else {
      above.text += ` ${text}`;
      above.x0 = Math.min(above.x0, x0);
      above.x1 = Math.max(above.x1, x1);
    }
  }
  return grown.sort((one, other) => one.x0 - other.x0);
}

/** Roles told by the rows below: codes under a head like "Alarm", sentences under a head in unknown words. */
export function withToldRoles(head: Head, below: readonly SplitRow[]): Head {
  const { columns, kind } = head;
  if (kind !== "trouble") return head;
  const cells = columns.map(({ x0 }, index) => {
    const right = columns[index + 1]?.x0 ?? Number.POSITIVE_INFINITY;
    return below.flatMap(({ words }) => {
      const own = words.filter((word) => word.x0 > x0 - 6 && word.x0 < right - 6);
      return own.length === 0 ? [] : [own.map(({ text }) => text).join(" ")];
    });
  });
  const told = tellRoles(
    columns.map(({ role }) => role),
    cells,
  );
  return { ...head, columns: columns.map((column, index) => ({ ...column, role: told[index] ?? null })) };
}
