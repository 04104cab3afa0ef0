import type { Database, Queryable } from "../engine/src/store/database.ts";
import type { Statement } from "../engine/src/store/sql.ts";
import type { Store } from "../engine/src/store/store.ts";

/** Places in a worker's life for a kill or a freeze. */
export const points = [
  "after it joined",
  "after a claim",
  "after work, before the commit",
  "in the middle of a commit",
  "after the commit, before anybody hears of it",
  "in the middle of a part of a stream",
  "between two parts of a stream",
  "before a failure is written down",
  "after a failure was written down",
  "after an eviction, before anybody hears of it",
  "after events were told, before that is written down",
  "in the middle of a removal",
] as const;
export type Point = (typeof points)[number];

/** Places where a frozen worker holds something to write too late. */
export const freezingPoints = [
  "after a claim",
  "after work, before the commit",
  "between two parts of a stream",
  "before a failure is written down",
] as const satisfies readonly Point[];

/** Wraps a store and reports the worker's position. `passed` may never return. */
export function passPoints(real: Store, passed: (point: Point) => void): Store {
  const inside = (db: Database, point: Point, statements: number): Database => ({
    ...db,
    transaction: (work) => db.transaction((tx) => work(countStatements(tx, statements, () => passed(point)))),
  });
  return {
    ...real,
    async insertWorker(db, worker) {
      await real.insertWorker(db, worker);
      passed("after it joined");
    },
    async takeTasks(db, ask) {
      const claim = await real.takeTasks(db, ask);
      if (claim) passed("after a claim");
      return claim;
    },
    async commitResults(db, commit) {
      passed("after work, before the commit");
      const committed = await real.commitResults(inside(db, "in the middle of a commit", 3), commit);
      passed("after the commit, before anybody hears of it");
      return committed;
    },
    async commitPart(db, part) {
      const committed = await real.commitPart(inside(db, "in the middle of a part of a stream", 3), part);
      passed("between two parts of a stream");
      return committed;
    },
    async commitUnfinished(db, unfinished) {
      passed("before a failure is written down");
      const written = await real.commitUnfinished(db, unfinished);
      passed("after a failure was written down");
      return written;
    },
    async evictWorker(db, eviction) {
      const freed = await real.evictWorker(db, eviction);
      if (freed) passed("after an eviction, before anybody hears of it");
      return freed;
    },
    relayEvents: (db, limit, publish, now) =>
      real.relayEvents(
        db,
        limit,
        async (events) => {
          await publish(events);
          passed("after events were told, before that is written down");
        },
        now,
      ),
    reapPage: (db, page) => real.reapPage(inside(db, "in the middle of a removal", 3), page),
  };
}

function countStatements(tx: Queryable, most: number, passed: () => void): Queryable {
  let count = 0;
  return {
    async query<Row extends object>(statement: Statement): Promise<Row[]> {
      const rows = await tx.query<Row>(statement);
      count += 1;
      if (count === most) passed();
      return rows;
    },
  };
}
