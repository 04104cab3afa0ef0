/** One measured figure with its reference. */
export interface Figure {
  readonly area: string;
  readonly what: string;
  readonly ours: string;
  /** The known answer and its source. */
  readonly against: string;
  /** False: below the bar; null: no bar was set. */
  readonly met: boolean | null;
}

/** `12 of 13 (92.3 %)`. */
export function share(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (part / whole) * 100;
  const shown = part === whole ? "100" : Math.min(percent, 99.99).toFixed(percent > 99 ? 2 : 1);
  return `${count(part)} of ${count(whole)} (${shown} %)`;
}

export const count = (value: number): string => value.toLocaleString("en-US");

export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(
    ({ area, what, ours, against, met }) =>
      `| ${area} | ${what} | ${ours} | ${against} | ${met === null ? "–" : met ? "yes" : "**no**"} |`,
  );
  return ["| part | figure | ours | compared with | met |", "|---|---|---|---|---|", ...rows].join("\n");
}

/** A table with the rows' keys as columns. */
export function plainTable(rows: readonly Readonly<Record<string, string>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const line = (cells: readonly string[]) => `| ${cells.map(inCell).join(" | ")} |`;
  return [
    line(names),
    `|${names.map(() => "---").join("|")}|`,
    ...rows.map((row) => line(Object.values(row))),
  ].join("\n");
}

const inCell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s+/g, " ");
