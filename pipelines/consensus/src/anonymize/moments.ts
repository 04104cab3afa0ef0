/** What tells apart and hides: the same text gives the same bytes, for one copy only. */
export type Digest = (kind: string, text: string) => Buffer;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const shiftDaysMin = 20;
const shiftDaysRange = 160;

/**
 * Dates of a thread, moved together by months and rounded to the hour: a public archive names whoever wrote at a known
 * second. What was later stays later, by a minute at least; what was at once stays at once.
 */
export function moveDates<Key>(
  dates: readonly { readonly key: Key; readonly date: string }[],
  { digest, thread }: { readonly digest: Digest; readonly thread: string },
): ReadonlyMap<Key, string> {
  const bytes = digest("shift", thread);
  const days = shiftDaysMin + (bytes.readUInt16BE(0) % shiftDaysRange);
  const shift = (bytes.readUInt8(2) % 2 === 0 ? days : -days) * dayMs + (bytes.readUInt8(3) % 24) * hourMs;
  const sorted = dates.map(({ key, date }) => ({ key, at: Date.parse(date) })).sort((a, b) => a.at - b.at);
  const moved = new Map<Key, string>();
  let last = { was: Number.NEGATIVE_INFINITY, is: Number.NEGATIVE_INFINITY };
  for (const { key, at } of sorted) {
    const rounded = Math.floor((at + shift) / hourMs) * hourMs;
    const is = at === last.was ? last.is : Math.max(rounded, last.is + 60_000);
    moved.set(key, new Date(is).toISOString());
    last = { was: at, is };
  }
  return moved;
}

const months = "January February March April May June July August September October November December".split(
  " ",
);
const weekdays = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
const shortened = (names: readonly string[]) => names.flatMap((name) => [name, name.slice(0, 3)]).join("|");
const month = `(?:${shortened(months)}|Sept)`;
const dayName = `(?:${shortened(weekdays)})`;
const written = new RegExp(
  [
    `\\b(?:${dayName}\\.?,? {1,3})?\\d{1,2}(?:st|nd|rd|th|\\.)?[ -]{1,3}(?:of )?${month}\\b`,
    `\\b(?:${dayName}\\.?,? {1,3})?${month}\\.? {1,3}\\d{1,2}\\b`,
    "\\b(?:19|20)\\d\\d[-/.]\\d{1,2}[-/.]\\d{1,2}",
    "\\b\\d{1,2}[/.]\\d{1,2}[/.](?:19|20)?\\d\\d\\b",
    `\\b${dayName}\\b`,
    "\\b\\d{1,2}[:.]\\d{2}[:.]\\d{2}\\b|\\b\\d{1,2}:\\d{2}\\b",
  ].join("|"),
  "gi",
);

/** A text in which dates, weekdays and times of the day are others of the same form, the same for the same. */
export function moveWrittenDates(text: string, digest: Digest): string {
  return text.replace(written, (found) => {
    const bytes = digest("moment", found.toLowerCase());
    if (!/[a-z]/i.test(found) && /:/.test(found))
      return found.replace(/[:.]\d{2}/g, (part) => `${part[0]}00`);
    let used = 0;
    const next = () => bytes.readUInt8(used++ % bytes.length);
    return found
      .replace(/\p{L}{3,}/gu, (word) => other(word, months, next()) ?? other(word, weekdays, next()) ?? word)
      .replace(/\d+/g, (digits) => (digits.length > 2 ? digits : day(digits, next())));
  });
}

/** A day that is also a month, for nobody knows which comes first. */
const day = (digits: string, byte: number): string =>
  digits.length === 2 ? String(1 + (byte % 12)).padStart(2, "0") : String(1 + (byte % 9));

function other(word: string, names: readonly string[], byte: number): string | null {
  const short = word.length <= 4 && word.toLowerCase() !== "june" && word.toLowerCase() !== "july";
  const isOne = names.some((name) => name.slice(0, 3).toLowerCase() === word.slice(0, 3).toLowerCase());
  if (!isOne) return null;
  const name = names[byte % names.length] as string;
  return short ? name.slice(0, 3) : name;
}

const machine =
  /\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:])(?:[0-9a-f]{1,4}:){1,7}(?::?[0-9a-f]{1,4}){1,6}(?![\w:])/gi;

/** A text in which addresses of machines are addresses that belong to nobody; `rest` is done to what is between. */
export function hideMachines(text: string, digest: Digest, rest: (part: string) => string): string {
  let hidden = "";
  let last = 0;
  for (const { 0: found, index } of text.matchAll(machine)) {
    // 10:30:00 is a time.
    if (!found.includes(".") && !/[a-f]|::/i.test(found)) continue;
    const bytes = digest("machine", found.toLowerCase());
    const other = found.includes(".")
      ? `203.0.113.${bytes.readUInt8(0)}`
      : `2001:db8::${bytes.readUInt16BE(0).toString(16)}`;
    hidden += rest(text.slice(last, index)) + other;
    last = index + found.length;
  }
  return hidden + rest(text.slice(last));
}
