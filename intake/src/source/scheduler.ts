import type { Database, Engine } from "@headway/engine";
import { advanceSource, type DueSource, dueSources, nextDue } from "./library/table.ts";
import { sourceRuns } from "./pipeline.ts";
import { nextRun } from "./schedule.ts";

/** Runs of a source that are remembered: a later run takes the place of the oldest. */
export const runsKept = 50;
const batch = 500;
const waitMs = { min: 200, max: 2_000 };

export interface SchedulerParts {
  readonly engine: Pick<Engine, "accept">;
  readonly database: Database;
  readonly now: () => Date;
  readonly random: () => number;
}

/**
 * Makes runs of due sources. Any number of processes may schedule at once: id and content of a run follow from the source and the due
 * time, so two schedulers, or a scheduler crashed between two writes, make the same run.
 */
export async function scheduleRuns({ engine, database, now, random }: SchedulerParts): Promise<number> {
  const at = now();
  const due = await dueSources(database, { now: at, limit: batch });
  if (due.length === 0) return 0;
  const planned = due.map((one) => ({ one, next: planRun(one) }));
  // A run that still goes on is not overtaken: its source comes again at the next moment of the schedule.
  const fresh = planned.filter(({ one }) => !one.open);
  if (fresh.length > 0) {
    const drafts = fresh.map(({ one, next }) =>
      sourceRuns.document(`${one.name}/${next.slot}`, {
        source: one.name,
        run: next.run,
        due: one.next_at.toISOString(),
        asked: one.asked === "operator" || one.asked === "change" ? one.asked : "schedule",
      }),
    );
    await engine.accept(drafts, { source: "sources" });
  }
  for (const { one, next } of planned) {
    const { name, run, slot, next_at: dueAt, spec, open, asked } = one;
    const again = nextRun(spec.schedule, { after: at, jitterMs: spec.jitterMs, random: random() });
    // A request made during a run is kept for the time after it.
    const waiting = open && asked !== null;
    const after = waiting ? new Date(at.getTime() + waitMs.max) : again;
    const standing = open ? { run, slot } : next;
    await advanceSource(database, {
      name,
      run,
      dueAt,
      next: { ...standing, at: after, asked: waiting ? asked : null },
    });
  }
  return fresh.length;
}

/** A dead run is replaced by its successor, so a broken source has one dead letter, however long it is broken. */
const planRun = ({ run, slot, dead }: DueSource): { run: number; slot: number } => ({
  run: run + 1,
  slot: dead || run === 0 ? slot : (slot + 1) % runsKept,
});

/** Schedules until stopped. A lost database is waited for. */
export function startScheduler(
  parts: SchedulerParts,
  failed: (error: unknown) => void,
): { wake(): void; stop(): Promise<void> } {
  let stopped = false;
  let wake: () => void = () => undefined;
  const running = (async () => {
    while (!stopped) {
      let delayMs = waitMs.max;
      try {
        const made = await scheduleRuns(parts);
        const next = await nextDue(parts.database);
        const untilMs = next ? next.getTime() - parts.now().getTime() : waitMs.max;
        delayMs = made >= batch ? 0 : Math.min(waitMs.max, Math.max(waitMs.min, untilMs));
      } catch (error) {
        failed(error);
      }
      if (stopped) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delayMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  })();
  return {
    wake: () => wake(),
    async stop() {
      stopped = true;
      wake();
      await running;
    },
  };
}
