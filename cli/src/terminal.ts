import pico from "picocolors";

/** Output of a command. Results go to `write`, remarks to `warn`, so a pipe gets results only. */
export interface Console {
  write(text: string): void;
  warn(text: string): void;
  /** One line of JSON. */
  writeJson(value: unknown): void;
  /** Whether progress can be redrawn in place. */
  readonly live: boolean;
  readonly columns: number;
  /** Whether results go to a file or another program, which cuts nothing off. */
  readonly piped?: boolean;
  readonly colors: ReturnType<typeof pico.createColors>;
}

export function systemConsole(): Console {
  const { stdout, stderr } = process;
  let broken: Error | undefined;
  const tolerate = (error: Error & { code?: string }) => {
    if (error.code !== "EPIPE") throw error;
  };
  stdout.on("error", (error) => {
    tolerate(error);
    broken = error;
  });
  stderr.on("error", tolerate);
  // The reader is gone, so writers can stop.
  const write = (text: string) => {
    if (broken) throw broken;
    stdout.write(text);
  };
  return {
    write,
    warn: (text) => void stderr.write(text),
    writeJson: (value) => write(`${safeJson(value)}\n`),
    live: stderr.isTTY === true && process.env.TERM !== "dumb",
    columns: (stdout.isTTY ? stdout.columns : 0) || Number(process.env.COLUMNS) || 100,
    piped: stdout.isTTY !== true,
    colors: pico.createColors(stdout.isTTY === true && !process.env.NO_COLOR),
  };
}

/** JSON that a terminal shows as it is: control and direction characters are escaped, which says the same to a parser. */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(
    /[\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string;
  readonly align?: "right";
  /** Shrinks on a narrow terminal. */
  readonly flexible?: boolean;
}

/** Rows in columns that fit the terminal. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.of(row))));
  const widths = columns.map((column, index) =>
    Math.max(widthOf(column.title), ...cells.map((row) => widthOf(row[index] as string))),
  );
  const gaps = 2 * (columns.length - 1);
  const flexible = columns.findIndex((column) => column.flexible);
  if (flexible >= 0) {
    const others = widths.reduce((sum, one, index) => (index === flexible ? sum : sum + one), gaps);
    widths[flexible] = Math.min(widths[flexible] as number, Math.max(12, width - others));
  }
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) =>
        pad(shorten(text, widths[index] as number), widths[index] as number, columns[index]?.align),
      )
      .join("  ")
      .trimEnd();
  return [line(columns.map((column) => column.title)), ...cells.map(line)].join("\n");
}

/** Mail is hostile: text must not move the cursor, ring the bell or break a line. */
export const oneLine = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/gu, "")
    .trim();

/** The same for text of several lines. */
export const printable = (text: string): string =>
  text.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, "");

/** Columns of a text: East Asian characters and emoji take two, marks none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}|[\u{20000}-\u{3FFFD}]/u;

/** Cuts a text to a width, with an ellipsis. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

export function pad(text: string, width: number, align?: "right"): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "right" ? space + text : text + space;
}

/** Breaks a text into lines of at most `width` columns, with an indent. */
export function wrap(text: string, width: number, indent = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of oneLine(text).split(" ")) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > width - indent.length) {
      lines.push(indent + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  if (line !== "") lines.push(indent + line);
  return lines.join("\n");
}

export const showNumber = (value: number): string =>
  value.toLocaleString("en-US", { maximumFractionDigits: 0 });
export const showCount = (value: number, one: string, many = `${one}s`): string =>
  `${showNumber(value)} ${value === 1 ? one : many}`;
export const showDay = (date: string | null): string => date?.slice(0, 10) ?? "undated";
