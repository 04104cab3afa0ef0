import { gridOf } from "../tables/table.ts";

/** Places and texts: all that an export of a table needs. */
export interface TableGrid {
  readonly rows: number;
  readonly columns: number;
  readonly cells: readonly {
    readonly row: number;
    readonly column: number;
    readonly rows: number;
    readonly columns: number;
    readonly text: string;
  }[];
}

/** A cell that a spreadsheet would calculate gets an apostrophe before it. */
export function tableCsv(table: TableGrid): string {
  const quote = (text: string) => {
    const safe = /^[=@\t\r]|^[+-](?![\d.,\s]*$)/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return gridOf(table)
    .map((row) => `${row.map(quote).join(",")}\n`)
    .join("");
}

/** Markdown; a table with spanning cells is HTML, because Markdown has no spans. */
export function tableMarkdown(table: TableGrid): string {
  if (table.cells.some(({ rows, columns }) => rows > 1 || columns > 1)) return tableHtml(table);
  const [head = [], ...rest] = gridOf(table).map((row) => row.map(inMarkdown));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${" --- |".repeat(table.columns)}`, ...rest.map(line)].join("\n");
}

const inMarkdown = (text: string): string =>
  escapeHtml(text.replaceAll(/\s+/g, " ")).replaceAll(/[|\\`*_[\]]/g, (sign) => `\\${sign}`);

export function tableHtml(table: TableGrid): string {
  const taken = new Set<string>();
  const byPlace = new Map(table.cells.map((cell) => [`${cell.row},${cell.column}`, cell]));
  const rows = Array.from({ length: table.rows }, (_, row) => {
    const cells: string[] = [];
    for (let column = 0; column < table.columns; column++) {
      if (taken.has(`${row},${column}`)) continue;
      const cell = byPlace.get(`${row},${column}`);
      for (let r = 0; r < (cell?.rows ?? 1); r++)
        for (let c = 0; c < (cell?.columns ?? 1); c++) taken.add(`${row + r},${column + c}`);
      const spans = `${(cell?.rows ?? 1) > 1 ? ` rowspan="${cell?.rows}"` : ""}${(cell?.columns ?? 1) > 1 ? ` colspan="${cell?.columns}"` : ""}`;
      const name = row === 0 ? "th" : "td";
      cells.push(`<${name}${spans}>${escapeHtml(cell?.text ?? "")}</${name}>`);
    }
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<table>\n${rows.join("\n")}\n</table>`;
}

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
