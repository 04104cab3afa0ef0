/** Sender and time of a mail, from the archive's line before the mail. */
export interface Envelope {
  readonly sender: string | null;
  /** ISO 8601, in UTC. */
  readonly date: string | null;
}

/**
 * Likelihood of a "From " line as a separator: `strict` ends in a whole date and can hardly be prose, `wordy` ends in
 * a date after several words, `patch` is the first line of a Git patch, `bare` has no date.
 */
export interface FromLine extends Envelope {
  readonly grade: "strict" | "wordy" | "patch" | "bare";
  /** The address is spelled "x at y.org", as by pipermail. */
  readonly spelled: boolean;
}

const wordsMax = 24;

/** Reads a line that begins with "From "; null for prose. */
export function readFromLine(line: string): FromLine | null {
  const words = withoutRoute(
    line
      .slice("From ".length)
      .split(/[ \t]+/)
      .filter((word) => word !== ""),
  );
  if (words.length > wordsMax) return null;
  for (let at = 0; at < words.length; at++) {
    const date = mayBeginDate(words[at] ?? "") ? readDate(words.slice(at)) : null;
    if (date !== null) return graded(words.slice(0, at), date);
  }
  const bare = words.length === 0 || (words.length === 1 && isAddress(words[0] ?? ""));
  return bare ? { grade: "bare", sender: senderOf(words), date: null, spelled: false } : null;
}

function graded(sender: readonly string[], date: string): FromLine {
  const [only = ""] = sender;
  if (sender.length === 1 && isHash(only) && date === "2001-09-17T00:00:00.000Z")
    return { grade: "patch", sender: null, date: null, spelled: false };
  // Public-inbox writes this line before every mail, so the date is not the mail's.
  if (sender.length === 1 && only === "mboxrd@z")
    return { grade: "strict", sender: null, date: null, spelled: false };
  const spelled = sender.length > 2 && sender.at(-2) === "at";
  const plain = sender.length <= 1 || spelled || sender.at(-1)?.includes("@") === true;
  return { grade: plain ? "strict" : "wordy", sender: senderOf(sender), date: validDate(date), spelled };
}

/** UUCP adds the sending machine after the date. */
function withoutRoute(words: readonly string[]): readonly string[] {
  const at = words.length - 3;
  return at >= 0 && words[at] === "remote" && words[at + 1] === "from" ? words.slice(0, at) : words;
}

const isHash = (word: string) => (word.length === 40 || word.length === 64) && /^[0-9a-f]+$/.test(word);
const isAddress = (word: string) => /^[^\s@,;:]+@[^\s@,;:]+$/.test(word);

/** Pipermail writes "x at y.org" for an address; a lone "-" and "???@???" stand for an unknown address. */
function senderOf(words: readonly string[]): string | null {
  const spelled = words.length > 2 && words.at(-2) === "at";
  const joined = spelled ? `${words.slice(0, -2).join(" ")}@${words.at(-1)}` : words.join(" ");
  const sender = fromUtf8(joined.replace(/^<(.*)>$/, "$1"));
  return sender === "" || sender === "-" || sender === "???@???" ? null : sender;
}

/** The line is read with one character per byte; UTF-8 is restored. */
function fromUtf8(text: string): string {
  const decoded = Buffer.from(text, "latin1").toString("utf8");
  return decoded.includes("\uFFFD") ? text : decoded;
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const weekdays = "mon tue wed thu fri sat sun".split(" ");
const fullMonths =
  "january february march april may june july august september october november december".split(" ");
const fullWeekdays = "monday tuesday wednesday thursday friday saturday sunday".split(" ");

const letters = (word: string) => word.toLowerCase().replace(/[,.]$/, "");
const monthOf = (word: string) => Math.max(months.indexOf(letters(word)), fullMonths.indexOf(letters(word)));
const isWeekday = (word: string) =>
  weekdays.includes(letters(word)) || fullWeekdays.includes(letters(word)) || letters(word) === "tues";

const timeForm = /^(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:[.,]\d{1,9})?$/;
const isoForm = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?)(?:\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})?)?$/;
const dashedForm = /^(\d{1,2})-([A-Za-z]{3})-(\d{2}|\d{4})$/;
const numericZone = /^(?:GMT|UTC?)?([+-])(\d{2}):?(\d{2})$/;

function mayBeginDate(word: string): boolean {
  return isWeekday(word) || monthOf(word) >= 0 || /^\d{1,4}(?:-|$)/.test(word);
}

interface Moment {
  year: number | null;
  month: number | null;
  day: number | null;
  time: readonly [number, number, number] | null;
  zoneMinutes: number;
  afternoon: boolean | null;
}

/** Reads words that form a date and nothing else, in the order of asctime, RFC 822 or ISO 8601. */
function readDate(words: readonly string[]): string | null {
  const moment: Moment = { year: null, month: null, day: null, time: null, zoneMinutes: 0, afternoon: null };
  for (const [at, word] of words.entries()) {
    if (at === 0 && isWeekday(word)) continue;
    if (!takeWord(moment, word)) return null;
  }
  const { year, month, day, time, afternoon } = moment;
  if (year === null || month === null || day === null || time === null) return null;
  if (month > 11 || day < 1 || day > 31 || time[0] > 24 || time[1] > 59 || time[2] > 61) return null;
  const hour = afternoon === null ? time[0] : (time[0] % 12) + (afternoon ? 12 : 0);
  const at = Date.UTC(year, month, day, hour, time[1] - moment.zoneMinutes, time[2]);
  return new Date(at).toISOString();
}

/** Fills in the part of the date given by the word; false if none fits. */
function takeWord(moment: Moment, word: string): boolean {
  if (moment.month === null && monthOf(word) >= 0) {
    moment.month = monthOf(word);
    return true;
  }
  if (moment.time === null && timeForm.test(word)) {
    const [, hour, minute, second] = timeForm.exec(word) ?? [];
    moment.time = [Number(hour), Number(minute), Number(second ?? 0)];
    return true;
  }
  if (/^\d{1,4},?$/.test(word))
    return takeNumber(moment, Number.parseInt(word, 10), word.replace(",", "").length);
  return takeWholeDate(moment, word) || takeZone(moment, word);
}

function takeNumber(moment: Moment, value: number, digits: number): boolean {
  if (digits <= 2 && moment.day === null) {
    moment.day = value;
    return true;
  }
  if (digits === 3 || moment.year !== null) return false;
  moment.year = digits === 4 ? value : fullYear(value);
  return digits !== 1;
}

const fullYear = (value: number) => (value > 99 ? value : value + (value < 70 ? 2000 : 1900));

function takeWholeDate(moment: Moment, word: string): boolean {
  const dashed = dashedForm.exec(word);
  if (moment.year === null && dashed !== null) {
    moment.day = Number(dashed[1]);
    moment.month = monthOf(dashed[2] ?? "");
    moment.year = fullYear(Number(dashed[3]));
    return moment.month >= 0;
  }
  const iso = isoForm.exec(word);
  if (moment.year !== null || iso === null) return false;
  moment.year = Number(iso[1]);
  moment.month = Number(iso[2]) - 1;
  moment.day = Number(iso[3]);
  if (iso[4] !== undefined) takeWord(moment, iso[4]);
  if (iso[5] !== undefined) takeZone(moment, iso[5]);
  return true;
}

const zoneHours = new Map(
  Object.entries({
    ...{
      Z: 0,
      UT: 0,
      UTC: 0,
      GMT: 0,
      WET: 0,
      WEST: 1,
      BST: 1,
      CET: 1,
      MET: 1,
      CEST: 2,
      MEST: 2,
      MESZ: 2,
      MEZ: 1,
    },
    ...{
      EET: 2,
      EEST: 3,
      MSK: 3,
      MSD: 4,
      IST: 5.5,
      JST: 9,
      KST: 9,
      HKT: 8,
      SGT: 8,
      AEST: 10,
      AEDT: 11,
      NZST: 12,
    },
    ...{
      NZDT: 13,
      NST: -3.5,
      AST: -4,
      ADT: -3,
      EST: -5,
      EDT: -4,
      CST: -6,
      CDT: -5,
      MST: -7,
      MDT: -6,
      PST: -8,
    },
    ...{ PDT: -7, AKST: -9, AKDT: -8, HST: -10, BRT: -3 },
  }),
);

function takeZone(moment: Moment, word: string): boolean {
  if (/^[ap]\.?m\.?$/i.test(word)) {
    moment.afternoon = word.startsWith("p") || word.startsWith("P");
    return moment.time !== null;
  }
  const numeric = numericZone.exec(word);
  if (numeric !== null) {
    const minutes = Number(numeric[2]) * 60 + Number(numeric[3]);
    moment.zoneMinutes = numeric[1] === "-" ? -minutes : minutes;
    return moment.time !== null;
  }
  const name = word.replace(/^\((.*)\)$/, "$1");
  // A name after a numeric zone, "+0200 (CEST)", repeats the zone.
  if (moment.zoneMinutes === 0) moment.zoneMinutes = (zoneHours.get(name.toUpperCase()) ?? 0) * 60;
  return (
    moment.time !== null && (/^[A-Z]{1,5}$/.test(name) || zoneHours.has(name.toUpperCase()) || word !== name)
  );
}

/** A clock never set wrote the epoch, or a year before there was mail. */
function validDate(date: string): string | null {
  const year = Number(date.slice(0, 4));
  return date.startsWith("1970-01-01T00:00:00") || year < 1970 || year > 2200 ? null : date;
}
