import { DefinitionError } from "@headway/engine";

/** A cron expression of five fields: minute, hour, day of the month, month, day of the week. */
export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** Of a restricted day and a restricted weekday either is enough, as in every cron. */
  readonly eitherDay: boolean;
}

const names = {
  month: "jan feb mar apr may jun jul aug sep oct nov dec".split(" "),
  weekday: "sun mon tue wed thu fri sat".split(" "),
};

const nicknames: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
};

export function parseCron(text: string): Cron {
  const words = (nicknames[text.trim().toLowerCase()] ?? text).trim().split(/\s+/);
  const refuse = (problem: string): never => {
    throw new DefinitionError(
      `"${text}" is no cron expression: ${problem}. Write five fields, such as "15 6 * * 1-5".`,
    );
  };
  if (words.length !== 5) refuse(`it has ${words.length} fields`);
  const [minute, hour, day, month, weekday] = words as [string, string, string, string, string];
  const field = (word: string, range: FieldRange) => parseField(word, range, refuse);
  const weekdays = new Set(
    [...field(weekday, { name: "weekday", min: 0, max: 7, words: names.weekday })].map((one) => one % 7),
  );
  return {
    minutes: field(minute, { name: "minute", min: 0, max: 59 }),
    hours: field(hour, { name: "hour", min: 0, max: 23 }),
    days: field(day, { name: "day", min: 1, max: 31 }),
    months: field(month, { name: "month", min: 1, max: 12, words: names.month }),
    weekdays,
    eitherDay: !day.startsWith("*") && !weekday.startsWith("*"),
  };
}

interface FieldRange {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly words?: readonly string[];
}

function parseField(word: string, range: FieldRange, refuse: (problem: string) => never): Set<number> {
  const { name, min, max } = range;
  const found = new Set<number>();
  for (const part of word.split(",")) {
    const match = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/(\d{1,4}))?$/.exec(part);
    if (!match) refuse(`"${part}" is no ${name}`);
    const [, first, last, step] = match as RegExpExecArray;
    const from = first === undefined ? min : numberOf(first, range);
    const open = first === undefined || (step !== undefined && last === undefined);
    const to = open ? max : last === undefined ? from : numberOf(last, range);
    const stride = step === undefined ? 1 : Number(step);
    if (!inRange(from, range) || !inRange(to, range) || from > to || stride < 1)
      refuse(`"${part}" is no ${name} from ${min} to ${max}`);
    for (let value = from; value <= to; value += stride) found.add(value);
  }
  return found;
}

const inRange = (value: number, { min, max }: FieldRange): boolean =>
  Number.isInteger(value) && value >= min && value <= max;

function numberOf(word: string, { min, words }: FieldRange): number {
  if (/^\d{1,4}$/.test(word)) return Number(word);
  const at = words?.indexOf(word.toLowerCase()) ?? -1;
  return at < 0 ? Number.NaN : at + (min === 1 ? 1 : 0);
}

/** Five years without a match: 30 February never comes. */
const daysMax = 5 * 366;
const minuteMs = 60_000;
const dayMs = 86_400_000;

/**
 * The first match after a moment, in a time zone. A time that a clock change leaves out comes when the clock has
 * jumped; a time that comes twice counts once.
 */
export function nextMatch(cron: Cron, after: Date, zone: string): Date | null {
  // A wall-clock time is kept as if it were UTC.
  const start = Math.floor(wallTime(after, zone) / minuteMs) * minuteMs + minuteMs;
  for (let day = 0; day < daysMax; day++) {
    const midnight = Math.floor(start / dayMs) * dayMs + day * dayMs;
    if (!matchesDay(cron, new Date(midnight))) continue;
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const wall = midnight + hour * 3_600_000 + minute * minuteMs;
        if (wall < start) continue;
        const moment = momentOf(wall, zone);
        if (moment > after.getTime()) return new Date(moment);
      }
    }
  }
  return null;
}

function matchesDay({ days, months, weekdays, eitherDay }: Cron, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [day, weekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return eitherDay ? day || weekday : day && weekday;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, made);
  return made;
}

export function checkZone(zone: string): void {
  try {
    formatOf(zone);
  } catch {
    throw new DefinitionError(`"${zone}" is no time zone; write a name such as Europe/Berlin or UTC.`);
  }
}

function wallTime(moment: Date, zone: string): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The earlier of two moments with the same wall-clock time; for a time left out, the same time after the jump. */
function momentOf(wall: number, zone: string): number {
  const offsets = [wall - dayMs, wall + dayMs].map((near) => wallTime(new Date(near), zone) - near);
  const [before = 0, later = 0] = offsets;
  const candidates = [wall - before, wall - later];
  const exact = candidates.filter((moment) => wallTime(new Date(moment), zone) === wall);
  return exact.length > 0 ? Math.min(...exact) : wall - before;
}
