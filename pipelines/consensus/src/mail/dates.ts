/** The moment of a date field, in milliseconds; null if none. Without a zone, UTC. */
export function readDate(text: string): number | null {
  const usual = usualPattern.exec(text);
  if (usual) return readUsual(usual);
  const words = text
    .slice(0, 200)
    .replace(/\([^()]*\)/g, " ")
    .replace(/\s{0,20}:\s{0,20}/g, ":")
    .toLowerCase();
  const iso = readIso(words);
  if (iso !== null) return iso;
  const clock = readClock(words);
  const parts = readCalendar(clock.rest);
  if (parts === null) return null;
  const { year, month, day } = parts;
  const local = Date.UTC(year, month, day, clock.hours, clock.minutes, clock.seconds);
  return Number.isFinite(local) ? local - (readZone(clock.zone) ?? 0) * 60_000 : null;
}

/** The format of nearly all mailers. */
const usualPattern =
  /^\s{0,9}(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?([0-3]?\d) ([A-Z][a-z]{2}) ((?:19|20)\d\d) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d) ([+-])(0\d|1[0-4])([0-5]\d)\b/;
const usualMonths = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function readUsual([
  ,
  day,
  month,
  year,
  hours,
  minutes,
  seconds,
  sign,
  zoneHours,
  zoneMinutes,
]: readonly string[]) {
  const at = usualMonths.indexOf(month!);
  if (at < 0 || Number(day) < 1 || Number(day) > 31) return null;
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === "-" ? -60_000 : 60_000);
  return Date.UTC(Number(year), at, Number(day), Number(hours), Number(minutes), Number(seconds)) - zone;
}

const isoPattern =
  /^\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[t ]\s?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?)?\s*(z|[+-]\d{2}:?\d{2})?/;

function readIso(words: string): number | null {
  const match = isoPattern.exec(words);
  if (!match) return null;
  const [year, month, day, hours, minutes, seconds] = match.slice(1, 7).map((digits) => Number(digits ?? 0));
  if (month! < 1 || month! > 12 || day! < 1 || day! > 31 || hours! > 24) return null;
  const zone = readZone(match[7] ?? words.slice(match[0].length)) ?? 0;
  return Date.UTC(year!, month! - 1, day!, hours, minutes, seconds) - zone * 60_000;
}

const clockPattern = /(?:^|[\s,t])(\d{1,2}):(\d{2})(?::(\d{1,2}))?(?:[.,]\d{1,6})?\s*([ap])?\.?(?:m\b\.?)?/;
const dottedClockPattern = /(?:^|[\s,])(\d{1,2})\.(\d{2})(?:\.(\d{2}))?(?!\d)\s*([ap])?\.?(?:m\b\.?)?/;

/** Without the name of a month, numbers with dots between are a date and not a time. */
const isNumeric = (words: string) =>
  numericDate.test(words) && !words.split(/[\s,;./-]+/, 40).some((word) => readMonth(word) >= 0);

interface Clock {
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  /** Text after the time: a zone, and in the order of `ctime` a year. */
  readonly zone: string;
  /** The text without the time. */
  readonly rest: string;
}

function readClock(words: string): Clock {
  const match = clockPattern.exec(words) ?? (isNumeric(words) ? null : dottedClockPattern.exec(words));
  if (!match) return { hours: 0, minutes: 0, seconds: 0, zone: "", rest: words };
  const [found, hour = "0", minute = "0", second = "0", half] = match;
  // "am" is a separate word; a zone such as "PST" only starts alike.
  const isHalf = half !== undefined && /[ap]\.?m\b/.test(found);
  const hours = isHalf ? (Number(hour) % 12) + (half === "p" ? 12 : 0) : Number(hour);
  const cut = half !== undefined && !isHalf ? found.lastIndexOf(half) : found.length;
  const after = words.slice(match.index + cut);
  if (hours > 24 || Number(minute) > 59) return { hours: 0, minutes: 0, seconds: 0, zone: "", rest: words };
  return {
    hours,
    minutes: Number(minute),
    seconds: Math.min(60, Number(second)),
    zone: after,
    rest: `${words.slice(0, match.index)} ${after.replace(/[+-]\d{3,4}\b|[+-]\d{1,2}:\d{2}\b/g, " ")}`,
  };
}

const numericDate = /(?<![\d:])(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})(?!\d)/;

interface Calendar {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

function readCalendar(rest: string): Calendar | null {
  const slashed = numericDate.exec(rest);
  if (slashed) {
    const [, a, separator, b, c] = slashed;
    return readNumbers([Number(a), Number(b), Number(c)], separator !== "/");
  }
  let month = -1;
  const numbers: string[] = [];
  for (const word of rest.split(/[\s,;./-]+/, 40)) {
    const digits = /^\d{1,5}(?=st$|nd$|rd$|th$|$)/.exec(word)?.[0];
    if (digits !== undefined) numbers.push(digits);
    // The later of two: an abbreviated weekday may look like a month, and comes first.
    else if (readMonth(word) >= 0) month = readMonth(word);
  }
  if (month < 0 || numbers.length < 2) return null;
  const dayAt = numbers.findIndex(
    (digits) => digits.length <= 2 && Number(digits) >= 1 && Number(digits) <= 31,
  );
  const yearAt = numbers.findIndex((digits, at) => at !== dayAt && digits.length >= 2);
  if (dayAt < 0 || yearAt < 0) return null;
  const year = readYear(numbers[yearAt]!);
  return year === null ? null : { year, month, day: Number(numbers[dayAt]) };
}

/** 2001/2/3, 3.2.2001 (Europe) and 2/3/2001 (America). */
function readNumbers([a, b, c]: [number, number, number], isDotted: boolean): Calendar | null {
  const isYearFirst = a > 31;
  const year = isYearFirst ? a : readYear(String(c).padStart(2, "0"));
  const isDayFirst = !isYearFirst && (isDotted || a > 12);
  const month = isYearFirst ? b : isDayFirst ? b : a;
  const day = isYearFirst ? c : isDayFirst ? a : b;
  if (year === null || month < 1 || month > 12 || day < 1 || day > 31) return null;
  return { year, month: month - 1, day };
}

/** RFC 5322: two digits below 50 are of this century, three count from 1900. */
function readYear(digits: string): number | null {
  const number = Number(digits);
  // "19105": a program glued "19" to the years since 1900.
  if (digits.length === 5) return digits.startsWith("191") ? 1900 + number - 19_000 : null;
  if (digits.length === 4) return number;
  if (digits.length === 3) return 1900 + number;
  return number < 50 ? 2000 + number : 1900 + number;
}

/** By the first letters, sufficient in the languages of translated mailers. */
const months: readonly RegExp[] = [
  /^(jan|jän|gen|ene|янв|sty|led)/,
  /^(feb|fev|fév|fèv|f.v|фев|lut|úno)/,
  /^(mar|mär|maa|mrz|mrt|мар|bře)/,
  /^(apr|avr|abr|апр|kwi|dub)/,
  /^(may|mai|mag|maj|mei|май|мая|kvě)/,
  /^(jun|juin|giu|июн|cze|čer)/,
  /^(jul|juil|lug|июл|lip)/,
  /^(aug|aoû|aou|ago|авг|sie|srp)/,
  /^(sep|set|сен|wrz|zář)/,
  /^(oct|okt|ott|out|окт|paź|říj)/,
  /^(nov|ноя|lis)/,
  /^(dec|dez|dic|déc|d.c|дек|gru|pro)/,
];

const weekdays = /^(mon|tue|wed|thu|fri|sat|sun)/;

function readMonth(word: string): number {
  if (word.length < 3 || (weekdays.test(word) && word.length <= 4)) return -1;
  // The Italian and Spanish Tuesday begins like March, the Italian Wednesday like no month at all.
  if (/^(mart(edi|es|i)|mardi)/.test(word)) return -1;
  return months.findIndex((pattern) => pattern.test(word));
}

const zones: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ut: 0,
    utc: 0,
    gmt: 0,
    z: 0,
    wet: 0,
    est: -300,
    edt: -240,
    cst: -360,
    cdt: -300,
    mst: -420,
    mdt: -360,
    pst: -480,
    pdt: -420,
    ast: -240,
    adt: -180,
    nst: -210,
    ndt: -150,
    hst: -600,
    akst: -540,
    akdt: -480,
    yst: -540,
    bst: 60,
    met: 60,
    mez: 60,
    cet: 60,
    mewt: 60,
    west: 60,
    mest: 120,
    mesz: 120,
    cest: 120,
    sst: 120,
    eet: 120,
    cedt: 120,
    eest: 180,
    msk: 180,
    msd: 240,
    idt: 180,
    ist: 330,
    hkt: 480,
    sgt: 480,
    awst: 480,
    jst: 540,
    kst: 540,
    aest: 600,
    aedt: 660,
    acst: 570,
    nzst: 720,
    nzt: 720,
    nzdt: 780,
    brt: -180,
    art: -180,
  }),
);

/** Minutes east of Greenwich; null without a zone. */
function readZone(text: string): number | null {
  const numeric = /(?:^|[\s a-z])([+-])\s?(\d{1,2}):?(\d{2})?(?!\d)/.exec(text.slice(0, 60));
  if (numeric) {
    const [, sign, hours = "0", minutes = "0"] = numeric;
    const offset = Number(hours) * 60 + Number(minutes);
    if (offset <= 15 * 60 && Number(minutes) < 60) return sign === "-" ? -offset : offset;
    return 0;
  }
  const name = /^[\s"']*([a-z]{1,5})\b(?:[\s-]+(dst)\b)?/.exec(text);
  const minutes = name ? zones.get(name[1]!) : undefined;
  return minutes === undefined ? null : minutes + (name?.[2] ? 60 : 0);
}
