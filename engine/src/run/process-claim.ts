import { settleClaimed } from "../decide/settle-claimed.ts";
import type { LaneEvent } from "../decide/step-lane.ts";
import type { Claim, ClaimedTask } from "../store/claims.ts";
import type { MemberRow } from "../store/groups.ts";
import { type CommitParts, startCommitter } from "./committer.ts";
import type { PlannedStage } from "./graph.ts";
import { holdBack } from "./hold-back.ts";
import { type Item, itemOf } from "./item.ts";
import { readLooks } from "./look-ups.ts";
import type { Suspects } from "./suspects.ts";
import { failedOnce, type Result, type UnitParts, work } from "./unit.ts";

/** The parts of a unit outside of a claim. */
export type ClaimParts = Omit<UnitParts, "commitPart" | "hasParts" | "resting"> & CommitParts;

interface ProcessParts {
  readonly parts: ClaimParts;
  readonly suspects: Suspects;
  readonly slots: number;
  readonly unitSize: number;
  /** Tells the lane what became of the claim. */
  readonly step: (event: LaneEvent) => void;
}

/** Tasks whose look-ups are in memory at a time. */
const lookingMax = 64;

/** Runs a claim until every task has been committed. */
export async function processClaim(
  plan: PlannedStage,
  claim: Claim,
  { parts, suspects, slots, unitSize, step }: ProcessParts,
): Promise<void> {
  const { clock } = parts;
  const startedAt = clock.now().getTime();
  let left = claim.tasks.length;
  // All tasks of a claim are of one kind.
  const letGo = suspects.hold(claim.tasks[0]?.crashes ?? 0, left);
  const committer = startCommitter(plan, claim, parts, (tasks) => {
    left -= tasks;
    letGo(tasks);
    step({ kind: "committed", tasks });
  });
  const { commitPart, hasParts } = committer;
  const resting = (tasks: number) => step({ kind: "rested", tasks });
  const unitParts: UnitParts = { ...parts, commitPart, hasParts, resting };
  try {
    let ran = 0;
    for (const tasks of plan.looks.length === 0 ? [claim.tasks] : chunk(claim.tasks, lookingMax)) {
      const { items, results } = await sort(plan, tasks, parts);
      committer.add(results);
      const units = chunk(items, unitSize);
      await runUnits(units, slots, async (unit) => committer.add(await work(plan, unit, unitParts)));
      ran += units.length;
    }
    step({ kind: "ran", units: ran, elapsedMs: clock.now().getTime() - startedAt });
    await committer.finish();
  } finally {
    letGo(left);
    step({ kind: "ended", claim: claim.id, left });
  }
}

/** Runs units in order, `atOnce` concurrently. */
async function runUnits<T>(
  units: readonly T[],
  atOnce: number,
  run: (unit: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const runner = async () => {
    while (next < units.length) await run(units[next++] as T);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, units.length) }, runner));
}

function chunk<T>(all: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < all.length; start += size) chunks.push(all.slice(start, start + size));
  return chunks;
}

/** Sorts claimed tasks into tasks to run and tasks with a verdict in advance. */
async function sort(
  plan: PlannedStage,
  claimed: readonly ClaimedTask[],
  parts: ClaimParts,
): Promise<{ items: Item[]; results: Result[] }> {
  const { held, tasks } = await holdBack(plan, claimed, parts);
  const members = plan.stage.shape === "fan-in" ? await membersOf(plan, tasks, parts) : null;
  const looks = plan.looks.length > 0 ? await readLooks(plan, tasks, members, parts) : null;
  const items: Item[] = [];
  const results: Result[] = [...held];
  for (const task of tasks) {
    const item = itemOf(plan, task, members?.get(task.subject) ?? null, looks?.get(task.subject));
    const clear = foregone(plan, item, parts);
    if (clear) results.push(clear);
    else items.push(item);
  }
  return { items, results };
}

async function membersOf(
  plan: PlannedStage,
  tasks: readonly ClaimedTask[],
  { store, db }: ClaimParts,
): Promise<Map<number, MemberRow[]>> {
  const groups = new Map<number, MemberRow[]>(tasks.map((task) => [task.subject, []]));
  if (tasks.length === 0) return groups;
  for (const row of await store.loadMembers(db, [...groups.keys()], plan.after))
    groups.get(row.grouping)?.push(row);
  return groups;
}

/** The result of a task that need not, or must not, be run; null for all other tasks. */
function foregone(plan: PlannedStage, item: Item, { controls, clock }: ClaimParts): Result | null {
  const { task, members, looks } = item;
  const { name: stage, isolate, incomplete } = plan.stage;
  const fate = settleClaimed(
    // Fields by name: this is asked of every claimed task.
    {
      id: task.id,
      gone: task.gone,
      attempts: task.attempts,
      waits: task.waits,
      crashes: task.crashes,
      firstAttemptAt: task.firstAttemptAt,
      fault: task.fault,
      members,
      problem: looks?.problem !== undefined && looks.problem !== null,
      unchanged: task.marker?.equals(item.marker) ?? false,
    },
    {
      stage,
      isolated: isolate !== null,
      waitsForDead: incomplete === "wait",
      policies: controls.policies(plan),
    },
    clock.now(),
    clock.random,
  );
  switch (fate.kind) {
    case "run":
      return null;
    case "problem":
      return failedOnce(plan, item, looks?.problem, { controls, clock });
    case "settled":
      // Not in the history: a death of a worker is counted already, and the task itself has the reason.
      return { kind: "unfinished", item, verdict: fate.verdict, faults: [] };
    default: {
      const unchanged = fate.kind === "unchanged";
      return { kind: "finished", item, outputs: [], streamed: false, unchanged, faults: [], durationMs: 0 };
    }
  }
}
