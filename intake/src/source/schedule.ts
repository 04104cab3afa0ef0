import { DefinitionError, type Duration, durationMs, showDuration } from "@headway/engine";
import { checkZone, nextMatch, parseCron } from "./cron.ts";

/** When a source is read. */
export type Schedule =
  | { readonly kind: "every"; readonly everyMs: number }
  | { readonly kind: "cron"; readonly cron: string; readonly zone: string }
  /** Only when asked for. */
  | { readonly kind: "manual" };

export interface ScheduleWords {
  readonly every?: string | undefined;
  readonly cron?: string | undefined;
  readonly zone?: string | undefined;
}

const everyMsMin = 1_000;
const everyMsMax = 366 * 86_400_000;

export function parseSchedule({ every, cron, zone }: ScheduleWords): Schedule {
  if (every !== undefined && cron !== undefined)
    throw new DefinitionError("A source has one schedule: give --every or --cron, not both.");
  if (zone !== undefined && cron === undefined)
    throw new DefinitionError("A time zone needs a --cron: an interval is the same everywhere.");
  if (every !== undefined) {
    const everyMs = durationMs(every.replace(/\s{0,9}min$/, "m") as Duration);
    if (everyMs < everyMsMin || everyMs > everyMsMax)
      throw new DefinitionError(`"${every}" is no interval from 1s to 366d.`);
    return { kind: "every", everyMs };
  }
  if (cron === undefined) return { kind: "manual" };
  const named = zone ?? "UTC";
  checkZone(named);
  if (nextMatch(parseCron(cron), new Date(0), named) === null)
    throw new DefinitionError(`"${cron}" never comes.`);
  return { kind: "cron", cron, zone: named };
}

/**
 * When the next run is due: null for a source that is only read when asked for. `random` in [0, 1) spreads sources of
 * the same time over `jitterMs`.
 */
export function nextRun(
  schedule: Schedule,
  { after, jitterMs, random }: { readonly after: Date; readonly jitterMs: number; readonly random: number },
): Date | null {
  const spread = Math.floor(jitterMs * random);
  switch (schedule.kind) {
    case "manual":
      return null;
    case "every":
      return new Date(after.getTime() + schedule.everyMs + spread);
    case "cron": {
      // Counted from the end of the last spread, or a late run would come twice.
      const next = nextMatch(parseCron(schedule.cron), after, schedule.zone);
      return next && new Date(next.getTime() + spread);
    }
  }
}

export function showSchedule(schedule: Schedule): string {
  switch (schedule.kind) {
    case "manual":
      return "when asked";
    case "every":
      return `every ${showDuration(schedule.everyMs)}`;
    case "cron":
      return schedule.zone === "UTC" ? `cron ${schedule.cron}` : `cron ${schedule.cron} (${schedule.zone})`;
  }
}
