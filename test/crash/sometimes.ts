import type { Faults } from "../../engine/src/drill/faulty-database.ts";
import type { World } from "../../engine/src/drill/world.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { sql } from "../../engine/src/store/sql.ts";
import { countSituations, type Sometimes } from "../support/sometimes.ts";

export const hardSituations = [
  "a commit is refused by the fence",
  "the answer to a commit is lost",
  "a worker is evicted while it holds tasks",
  "a stream is interrupted between two parts",
  "a removal is interrupted half way",
  "an event is told twice",
  "a fast commit falls back to the compared one",
  "a late member comes after its group was done",
  "a batch is halved",
  "a task is held by a breaker",
  "a task whose worker died is tried again",
  "a worker that was declared dead starts again",
  "two documents conflict",
  "the sweep finds what was forgotten",
  "a look-up is missing",
  "a look-up changes before the commit",
] as const;

export const makeSometimes = (): Sometimes => countSituations(hardSituations);

/** Inspects the database at the moment of a crash. */
export async function noticeMoment(db: Database, sometimes: Sometimes): Promise<void> {
  const [row] = await db.query<{ stream: boolean; removal: boolean }>(sql`
    select
      exists (select 1 from headway.document d join headway.claim c on c.id = d.stamp) as stream,
      exists (select 1 from headway.document where gone_at is not null)
        and exists (select 1 from headway.deleted) as removal`);
  if (row?.stream) sometimes.add("a stream is interrupted between two parts");
  if (row?.removal) sometimes.add("a removal is interrupted half way");
}

/** Inspects a finished run. */
export function noticeRun(world: World, faults: Faults, sometimes: Sometimes): void {
  const retried = world.signals.some((signal) => signal.kind === "task.retried");
  for (const signal of world.signals) {
    if (signal.kind === "commit.refused") sometimes.add("a commit is refused by the fence");
    if (signal.kind === "worker.evicted" && signal.freed > 0)
      sometimes.add("a worker is evicted while it holds tasks");
    if (signal.kind === "batch.halved") sometimes.add("a batch is halved");
    if (signal.kind === "task.held") sometimes.add("a task is held by a breaker");
    // In a run without a failed attempt, a second attempt can only follow a worker's death.
    if (signal.kind === "task.done" && signal.attempt > 1 && !retried)
      sometimes.add("a task whose worker died is tried again");
    if (signal.kind === "worker.lost" && signal.because === "it was declared dead")
      sometimes.add("a worker that was declared dead starts again");
    if (signal.kind === "document.conflict") sometimes.add("two documents conflict");
    if (signal.kind === "sweep.finished" && signal.owed > 0)
      sometimes.add("the sweep finds what was forgotten");
  }
  const keys = world.events.map((event) => event.key);
  if (new Set(keys).size < keys.length) sometimes.add("an event is told twice");
  if (faults.fellBack > 0) sometimes.add("a fast commit falls back to the compared one");
  const lost = faults.fired.some(
    ({ kind, call }) => kind.endsWith("after") && (call.what === "commit" || call.text.startsWith("fresh")),
  );
  if (lost) sometimes.add("the answer to a commit is lost");
}
