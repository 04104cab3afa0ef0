import { dueSoonMs, heldBackUntil } from "../decide/hold-back.ts";
import type { ClaimedTask } from "../store/claims.ts";
import type { AttemptParts } from "./attempt.ts";
import { addMs } from "./clock.ts";
import type { CommitParts } from "./committer.ts";
import type { Controls } from "./controls.ts";
import type { PlannedStage } from "./graph.ts";
import { type Item, itemOf } from "./item.ts";
import { type Result, settleItem } from "./unit.ts";

type HoldParts = Pick<AttemptParts, "graph" | "clock"> &
  Pick<CommitParts, "store" | "db"> & { readonly controls: Controls };

/** Postpones claimed groups whose members are still on their way, before any member is loaded. */
export async function holdBack(
  plan: PlannedStage,
  tasks: readonly ClaimedTask[],
  { graph, clock, store, db, controls }: HoldParts,
): Promise<{ held: Result[]; tasks: readonly ClaimedTask[] }> {
  if (plan.upstream.length === 0) return { held: [], tasks };
  const now = clock.now();
  // A paused stage, or one behind a breaker, sends nothing for now.
  const upstream = graph.stages
    .filter((one) => plan.upstream.includes(one.number) && controls.opening(one, now).kind === "open")
    .map((one) => one.number);
  const groups = tasks.map((task) => task.subject);
  const dueBy = addMs(now, dueSoonMs);
  const rows = await store.findStreaming(db, { stage: plan.number, groups, upstream, dueBy });
  const streaming = new Map(rows.map((row) => [row.subject, row]));
  const held: Result[] = [];
  const free: ClaimedTask[] = [];
  for (const task of tasks) {
    const row = streaming.get(task.subject);
    const at = row ? heldBackUntil({ ...row, done: task.marker !== null }, now) : null;
    if (at) held.push(postponed(plan, itemOf(plan, task, []), at, { clock, controls }));
    else free.push(task);
  }
  return { held, tasks: free };
}

function postponed(
  plan: PlannedStage,
  item: Item,
  at: Date,
  parts: Pick<HoldParts, "clock" | "controls">,
): Result {
  const delayMs = at.getTime() - parts.clock.now().getTime();
  return { ...settleItem(plan, item, { kind: "early", reason: "upstream", delayMs }, parts), faults: [] };
}
