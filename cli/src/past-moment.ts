import { type Duration, durationMs } from "@headway/engine";
import { Refusal } from "./exit-codes.ts";
import { parseDate } from "./shared-options.ts";

/** A past moment: a date, or an age: 30m, 2h, 7d. */
export function parseSince(text: string, flag: string, now: Date): Date {
  if (/^\d+(\.\d+)?(ms|s|m|h|d)$/.test(text)) return new Date(now.getTime() - durationMs(text as Duration));
  try {
    return parseDate(text, flag);
  } catch {
    throw new Refusal(
      `${flag} is "${text}"; expected how long ago, such as 2h, or a date such as 2024-05-31.`,
      2,
    );
  }
}
