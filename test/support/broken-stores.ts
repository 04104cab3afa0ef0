import type { Database } from "../../engine/src/store/database.ts";
import { insertEvents } from "../../engine/src/store/outbox.ts";
import { writeOutputs } from "../../engine/src/store/outputs.ts";
import type { Yielded } from "../../engine/src/store/stage-graph.ts";
import type { Store } from "../../engine/src/store/store.ts";
import { endTasks, oweNew } from "../../engine/src/store/tasks.ts";

type Commit = Parameters<Store["commitResults"]>[1];

export const yieldsOf = ({ finished, stage }: Commit): Yielded[] =>
  finished.map(({ subject, outputs, request, rank }) => ({
    producer: { stage, subject },
    wanted: outputs,
    request,
    rank,
  }));

/** Writes a result even if the claim was lost. */
export function writeRefused(real: Store): Partial<Store> {
  const write = async (
    db: Database,
    { flow, numbers, now, claim }: Pick<Commit, "flow" | "numbers" | "now" | "claim">,
    yields: readonly Yielded[],
    partial: boolean,
  ) => {
    const stamp = partial ? claim : null;
    const written = await db.transaction((tx) =>
      writeOutputs(tx, { yields: [...yields], flow, numbers, now, partial, stamp }),
    );
    return { kind: "committed", conflicts: written.conflicts, removed: written.removed } as const;
  };
  return {
    async commitResults(db, commit) {
      const committed = await real.commitResults(db, commit);
      return committed.kind === "committed" ? committed : await write(db, commit, yieldsOf(commit), false);
    },
    async commitPart(db, part) {
      const committed = await real.commitPart(db, part);
      return committed.kind === "committed" ? committed : await write(db, part, [part.yielded], true);
    },
  };
}

/** Ends the task first and writes the result afterwards. */
export const acknowledgeFirst = (real: Store): Partial<Store> => ({
  async commitResults(db, commit) {
    const { stage, now, finished } = commit;
    await db.transaction((tx) => endTasks(tx, stage, finished));
    // A crash here loses the task. A survivor owes the task again, because the commit requires the row.
    await oweNew(
      db,
      finished.map(({ subject, rank }) => ({ subject, stage, rank })),
      now,
    );
    const again = finished.map((one) => ({ ...one, generation: 0 }));
    return await real.commitResults(db, { ...commit, finished: again });
  },
});

/** Writes events after the result, in a separate transaction. */
export const tellLater = (real: Store): Partial<Store> => ({
  async commitResults(db, commit) {
    const finished = commit.finished.map((one) => ({ ...one, event: null }));
    const committed = await real.commitResults(db, { ...commit, finished });
    const events = commit.finished.flatMap((one) => (one.event ? [one.event] : []));
    if (committed.kind === "committed" && events.length > 0) await db.query(insertEvents(events, commit.now));
    return committed;
  },
});
