import type { Commit } from "../engine/src/store/commit.ts";
import type { Database } from "../engine/src/store/database.ts";
import type { Yielded } from "../engine/src/store/flow.ts";
import { insertEvents } from "../engine/src/store/outbox.ts";
import { writeOutputs } from "../engine/src/store/outputs.ts";
import type { Store } from "../engine/src/store/store.ts";
import { endTasks, oweNew } from "../engine/src/store/tasks.ts";

export const brokenNames = ["fencing-off", "ack-before-commit", "outbox-outside", "sweep-off"] as const;
export type BrokenName = (typeof brokenNames)[number];

/** Engines that are broken on purpose. If the storm does not find them out, the storm is broken. */
export function breakStore(real: Store, name: BrokenName): Store {
  switch (name) {
    case "fencing-off":
      return { ...real, ...withoutFence(real) };
    case "ack-before-commit":
      return { ...real, ...acknowledgeFirst(real) };
    case "outbox-outside":
      return { ...real, ...tellLater(real) };
    case "sweep-off":
      return { ...real, findDeadWorkers: async () => [] };
  }
}

/** Whoever has a result writes it, whether the task is still his or not. */
function withoutFence(real: Store): Partial<Store> {
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
      if (committed.kind === "committed") return committed;
      const yields = commit.finished.map(({ subject, outputs, request, rank }) => ({
        producer: { stage: commit.stage, subject },
        wanted: outputs,
        request,
        rank,
      }));
      return await write(db, commit, yields, false);
    },
    async commitPart(db, part) {
      const committed = await real.commitPart(db, part);
      return committed.kind === "committed" ? committed : await write(db, part, [part.yielded], true);
    },
  };
}

/** The task is struck off the list first, and its result written afterwards. */
function acknowledgeFirst(real: Store): Partial<Store> {
  return {
    async commitResults(db, commit) {
      const { stage, now, finished } = commit;
      await db.transaction((tx) => endTasks(tx, stage, finished));
      // Here a crash loses it. Who survives puts it back, because the commit will not do without.
      await oweNew(
        db,
        finished.map(({ subject, rank }) => ({ subject, stage, rank })),
        now,
      );
      const again = finished.map((one) => ({ ...one, generation: 0 }));
      return await real.commitResults(db, { ...commit, finished: again });
    },
  };
}

/** Events are written down after the result, in a transaction of their own. */
function tellLater(real: Store): Partial<Store> {
  return {
    async commitResults(db, commit) {
      const finished = commit.finished.map((one) => ({ ...one, event: null }));
      const committed = await real.commitResults(db, { ...commit, finished });
      const events = commit.finished.flatMap((one) => (one.event ? [one.event] : []));
      if (committed.kind === "committed" && events.length > 0)
        await db.query(insertEvents(events, commit.now));
      return committed;
    },
  };
}
