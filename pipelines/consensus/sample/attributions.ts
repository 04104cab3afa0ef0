/** Author and date of a mail, as introduced by another person's mail program. */
export interface Quoted {
  readonly name: string;
  readonly address: string;
  /** Date of the quoted mail, in the quoter's zone. */
  readonly date: Date;
  readonly zone: string;
  readonly subject: string;
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const longMonths =
  "January February March April May June July August September October November December".split(" ");
const frenchDays = ["dim.", "lun.", "mar.", "mer.", "jeu.", "ven.", "sam."];
const frenchMonths = "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.".split(" ");
const longDays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** The date on the author's clock; `date` is already shifted into the zone. */
export function clockParts(date: Date) {
  const two = (value: number) => String(value).padStart(2, "0");
  return {
    day: date.getUTCDate(),
    dd: two(date.getUTCDate()),
    mm: two(date.getUTCMonth() + 1),
    month: date.getUTCMonth(),
    year: date.getUTCFullYear(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    hh: two(date.getUTCHours()),
    min: two(date.getUTCMinutes()),
    ss: two(date.getUTCSeconds()),
  };
}

export const mailDate = (date: Date, zone: string): string => {
  const { weekday, day, month, year, hh, min, ss } = clockParts(date);
  return `${weekdays[weekday]}, ${day} ${months[month]} ${year} ${hh}:${min}:${ss} ${zone}`;
};

export const asctime = (date: Date): string => {
  const { weekday, day, month, year, hh, min, ss } = clockParts(date);
  return `${weekdays[weekday]} ${months[month]} ${String(day).padStart(2)} ${hh}:${min}:${ss} ${year}`;
};

export function attribution(writes: string, quoted: Quoted): string {
  const { name, address, date, zone, subject } = quoted;
  const { day, dd, mm, month, year, weekday, hour, hh, min } = clockParts(date);
  const half = `${hour % 12 === 0 ? 12 : hour % 12}:${min} ${hour < 12 ? "AM" : "PM"}`;
  switch (writes) {
    case "gmail":
      return `On ${weekdays[weekday]}, ${months[month]} ${day}, ${year} at ${half} ${name} <${address}>\nwrote:\n`;
    case "thunderbird":
      return `On ${dd}/${mm}/${year} ${hh}:${min}, ${name} wrote:`;
    case "apple":
      return `> On ${day} ${months[month]} ${year}, at ${hh}:${min}, ${name} <${address}> wrote:\n>`;
    case "gnus":
      return `${name} <${address}> writes:\n`;
    case "german":
      return `Am ${dd}.${mm}.${String(year).slice(2)} um ${hh}:${min} schrieb ${name}:`;
    case "french":
      return `Le ${frenchDays[weekday]} ${day} ${frenchMonths[month]} ${year} à ${hh}:${min}, ${name} <${address}> a\nécrit :\n`;
    case "japanese":
      return `${year}年${month + 1}月${day}日(${[..."日月火水木金土"][weekday]}) ${hour}:${min} ${name} <${address}>:\n`;
    case "russian":
      return `${dd}.${mm}.${year} ${hh}:${min}, ${name} пишет:`;
    case "outlook":
      return [
        "-----Original Message-----",
        `From: ${name} <${address}>`,
        `Sent: ${longDays[weekday]}, ${longMonths[month]} ${day}, ${year} ${half}`,
        "To: tidewg@lists.example.org",
        `Subject: ${subject}`,
        "",
      ].join("\n");
    default:
      return `On ${weekdays[weekday]}, ${months[month]} ${dd}, ${year} at ${hh}:${min}:00 ${zone}, ${name} wrote:`;
  }
}
