/** Parses one value from PostgreSQL's text format. */
export type Parser = (text: string) => unknown;

/** The parser for a type; types without a parser stay text (numeric, date, vector). */
export const parserOf = (oid: number): Parser => parsers.get(oid) ?? asText;

const asText: Parser = (text) => text;

function parseInt8(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`The int8 ${text} does not fit into a JavaScript number; select it as text.`);
}

const timestamp =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/;
/** The extreme moments of a Date stand for infinity, so comparisons still work. */
const dateMax = 8.64e15;

export function parseTime(text: string): Date {
  if (text.length <= 29 && text.endsWith("+00")) {
    // Fast path for a session in UTC; the general path takes four times as long.
    const time = Date.parse(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
    if (!Number.isNaN(time)) return new Date(time);
  }
  if (text === "infinity") return new Date(dateMax);
  if (text === "-infinity") return new Date(-dateMax);
  const match = timestamp.exec(text);
  if (!match) throw new RangeError(`The database sent the time "${text}"; its DateStyle must be ISO.`);
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second,
    fraction = "",
    sign,
    zoneHour,
    zoneMinute = 0,
    zoneSecond = 0,
    bc,
  ] = match;
  const time = new Date(0);
  time.setUTCFullYear(bc ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
  time.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, "0").slice(0, 3)));
  const zoneMs = (Number(zoneHour) * 3600 + Number(zoneMinute) * 60 + Number(zoneSecond)) * 1000;
  return new Date(time.getTime() - (sign === "-" ? -zoneMs : zoneMs));
}

function parseBytea(text: string): Buffer {
  if (text.startsWith("\\x")) return Buffer.from(text.slice(2), "hex");
  throw new RangeError("The database sent bytea in its escape format; its bytea_output must be hex.");
}

/** Parses an array literal such as `{1,NULL,"a \"b\""}`, nested arrays too. */
export function parseArray(text: string, parse: Parser): unknown[] {
  // An array with a lower bound other than 1 begins with bounds: [0:2]={…}.
  let at = text.startsWith("[") ? text.indexOf("=") + 1 : 0;
  const readQuoted = (): string => {
    let item = "";
    let from = at + 1;
    for (at = from; text[at] !== '"'; at += 1) {
      if (text[at] !== "\\") continue;
      item += text.slice(from, at);
      at += 1;
      from = at;
    }
    item += text.slice(from, at);
    at += 1;
    return item;
  };
  const readPlain = (): string => {
    const from = at;
    while (text[at] !== "," && text[at] !== "}") at += 1;
    return text.slice(from, at);
  };
  const readItem = (): unknown => {
    if (text[at] === "{") return readArray();
    if (text[at] === '"') return parse(readQuoted());
    const item = readPlain();
    return item === "NULL" ? null : parse(item);
  };
  const readArray = (): unknown[] => {
    const items: unknown[] = [];
    at += 1;
    while (text[at] !== "}") {
      items.push(readItem());
      if (text[at] === ",") at += 1;
    }
    at += 1;
    return items;
  };
  return readArray();
}

const parseBool: Parser = (text) => text === "t";

/** Each row: the type, its array type, its parser. */
const known: readonly (readonly [type: number, array: number, parse: Parser])[] = [
  [16, 1000, parseBool],
  [17, 1001, parseBytea],
  [20, 1016, parseInt8],
  [21, 1005, Number],
  [23, 1007, Number],
  [25, 1009, asText],
  [26, 1028, Number],
  [114, 199, JSON.parse],
  [700, 1021, Number],
  [701, 1022, Number],
  [1043, 1015, asText],
  [1184, 1185, parseTime],
  [1700, 1231, asText],
  [2950, 2951, asText],
  [3802, 3807, JSON.parse],
];

const parsers: ReadonlyMap<number, Parser> = new Map(
  known.flatMap(([type, array, parse]): [number, Parser][] => [
    [type, (text) => parse(text)],
    [array, (text) => parseArray(text, (item) => parse(item))],
  ]),
);
