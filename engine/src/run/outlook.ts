import type { Database } from "../store/database.ts";
import type { Store } from "../store/store.ts";
import type { Outlook } from "../store/tasks.ts";
import type { Clock } from "./clock.ts";

/** The poll of all lanes of a worker: one statement an interval, however many stages are idle. */
export interface SharedPoll {
  /** Time until the next common poll, so that all lanes ask at the same moment. */
  untilNextMs(): number;
  /** The outlook for one stage, at most half an interval old. */
  of(stage: number): Promise<Outlook | undefined>;
}

export interface SharedPollParts {
  readonly db: Database;
  readonly store: Pick<Store, "findDue">;
  readonly clock: Clock;
  readonly stages: readonly number[];
  readonly pollMs: number;
}

export function makeSharedPoll({ db, store, clock, stages, pollMs }: SharedPollParts): SharedPoll {
  let askedAt = Number.NEGATIVE_INFINITY;
  let asked: Promise<ReadonlyMap<number, Outlook>> | null = null;
  const nowMs = () => clock.now().getTime();
  const ask = async () => {
    try {
      const rows = await store.findDue(db, { stages, now: clock.now() });
      return new Map(rows.map((row) => [row.stage, row]));
    } catch (error) {
      asked = null;
      throw error;
    }
  };
  return {
    untilNextMs: () => {
      const ms = askedAt + pollMs - nowMs();
      return ms > 0 && ms <= pollMs ? ms : pollMs;
    },
    async of(stage) {
      if (!asked || nowMs() - askedAt >= pollMs / 2) {
        askedAt = nowMs();
        asked = ask();
      }
      return (await asked).get(stage);
    },
  };
}
