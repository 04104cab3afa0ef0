import { readDate } from "./dates.ts";
import { decodeHeaderText } from "./encoded-words.ts";
import { firstField, type Headers } from "./headers.ts";

export interface SentDate {
  /** ISO 8601, in UTC. */
  readonly date: string | null;
  readonly flags: readonly string[];
}

const dayMs = 86_400_000;
/** The last hosts come first; older hosts are ignored. */
const receivedMax = 3;

/** The sending time: Date, unless missing or absurd; then the last host's time; then the archive's. */
export function readSentDate(headers: Headers, envelopeDate: string | null): SentDate {
  const received = (headers.fields.get("received") ?? [])
    .slice(0, receivedMax)
    .map(receivedAt)
    .filter(isPlausible);
  const newest = received.length === 0 ? null : Math.max(...received);
  const field =
    firstField(headers, "date") || firstField(headers, "resent-date") || firstField(headers, "delivery-date");
  const own = field === "" ? null : readDate(decodeHeaderText(field, null).text);
  if (isPlausible(own) && !isAbsurd(own, newest)) return { date: toIso(own), flags: [] };
  const problem = field === "" ? "date.missing" : own === null ? "date.unreadable" : "date.absurd";
  if (received[0] !== undefined) return { date: toIso(received[0]), flags: [problem] };
  const envelope = envelopeDate === null ? null : readDate(envelopeDate);
  return { date: isPlausible(envelope) ? toIso(envelope) : null, flags: [problem] };
}

/** The date follows the last semicolon. */
const receivedAt = (field: string) => readDate(field.slice(field.lastIndexOf(";") + 1));

const isPlausible = (time: number | null): time is number =>
  time !== null && time >= 0 && time < Date.UTC(2100, 0, 1);

/** Later than received, or the first day of clocks without a battery. */
function isAbsurd(time: number, newest: number | null): boolean {
  if (newest === null) return false;
  const isReset = time < 2 * dayMs || Math.abs(time - Date.UTC(1980, 0, 1)) < 2 * dayMs;
  return time > newest + dayMs || (isReset && newest - time > 365 * dayMs);
}

const toIso = (time: number) => new Date(time).toISOString();
