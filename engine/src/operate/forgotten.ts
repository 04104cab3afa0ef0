import { attemptsAllowed } from "../decide/settle.ts";
import type { SweptCollection } from "../decide/signal.ts";
import { countBacklog } from "../store/backlog.ts";
import { findUngrouped, findUnowed } from "../store/documents.ts";
import { findIdleGroups } from "../store/groups.ts";
import { countGone } from "../store/reaper.ts";
import type { StageRow } from "../store/registry.ts";
import { pullIn, pullPastLimit } from "../store/tasks.ts";
import { claimsOf, findDeadWorkers } from "../store/workers.ts";
import { type Operating, readDirectory } from "./context.ts";
import { policiesInForce } from "./policies.ts";
import { currentStages } from "./verify.ts";

/** The findings of a sweep at this moment. */
export interface Forgotten {
  readonly owed: number;
  readonly freed: number;
  readonly died: number;
  readonly pulledIn: number;
  readonly removed: number;
  readonly collections: readonly SweptCollection[];
}

export interface ForgottenOptions {
  /** Silence after which a worker counts as hung. */
  readonly silenceMs: number;
  /** Age after which a task counts as stuck. */
  readonly stuckMs: number;
}

const pageSize = 1_000;
const furthestMs = 31 * 24 * 3_600_000;
const kinds = ["transient", "unknown"] as const;

/** Looks for the same as the sweep, without changes and without an engine. */
export async function forgotten(
  context: Operating,
  { silenceMs, stuckMs }: ForgottenOptions,
): Promise<Forgotten> {
  const { database, clock } = context;
  const now = clock.now();
  const before = (ms: number) => new Date(now.getTime() - ms);
  const directory = await readDirectory(context);
  const current = await currentStages(context, directory);
  const held = await heldByDead(context, { silenceMs });
  const found = new Map<number, { owed: number; freed: number; died: number; pulledIn: number }>();
  const far = await pullIn(database, { latest: new Date(now.getTime() + furthestMs), now, dryRun: true });
  const policiesOf = await policiesInForce(context);
  for (const stage of directory.stages) {
    const isCurrent = current.some(({ id }) => id === stage.id);
    let died = 0;
    for (const kind of isCurrent ? kinds : []) {
      const attemptsMax = attemptsAllowed(policiesOf(stage.name), kind);
      died += await pullPastLimit(database, { stage: stage.id, kind, attemptsMax, now, dryRun: true });
    }
    found.set(stage.id, {
      owed: isCurrent ? await countUnowed(context, stage) : 0,
      freed: held.filter((one) => one.stage === stage.id).reduce((sum, { tasks }) => sum + tasks, 0),
      pulledIn: far.filter((one) => one === stage.id).length,
      died,
    });
  }
  const all = [...found.values()];
  const sum = (name: "owed" | "freed" | "died" | "pulledIn", of = all) =>
    of.reduce((total, one) => total + one[name], 0);
  const backlog = await countBacklog(database, { now, stuckBefore: before(stuckMs) });
  const collections = backlog.map(({ stages, ...counts }) => {
    const mine = stages.flatMap((stage) => found.get(stage) ?? []);
    const requeued = sum("owed", mine) + sum("freed", mine) + sum("pulledIn", mine);
    return { ...counts, requeued, died: sum("died", mine) };
  });
  return {
    owed: sum("owed"),
    freed: sum("freed"),
    died: sum("died"),
    pulledIn: sum("pulledIn"),
    removed: await countGone(database),
    collections,
  };
}

/** Documents, members and groups without a record of the stage. */
async function countUnowed({ database }: Operating, stage: StageRow): Promise<number> {
  const grouped = stage.shape === "fan-in";
  let found = grouped ? (await findIdleGroups(database, stage.id)).length : 0;
  for (let after = 0; ; ) {
    const page = { collection: stage.reads, stage: stage.id, after, limit: pageSize };
    const { last, missing } = grouped
      ? await findUngrouped(database, page)
      : await findUnowed(database, page);
    found += missing.length;
    if (last === null) return found;
    after = last;
  }
}

/** Claims of workers that seem dead: session gone, or silent for too long. */
export async function heldByDead(
  { database, clock }: Operating,
  { silenceMs }: Pick<ForgottenOptions, "silenceMs">,
): Promise<readonly { readonly stage: number; readonly tasks: number }[]> {
  const lapsed = new Date(clock.now().getTime() - silenceMs);
  const dead = await findDeadWorkers(database, { lapsed, self: null });
  return await claimsOf(
    database,
    dead.map((one) => one.id),
  );
}
