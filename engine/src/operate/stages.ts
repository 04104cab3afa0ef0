import { runningTasks } from "../store/interventions.ts";
import { setPaused } from "../store/registry.ts";
import { endWorker } from "../store/workers.ts";
import {
  type DryRun,
  type Operating,
  perform,
  readDirectory,
  record,
  tellControls,
  tellWork,
} from "./context.ts";

/**
 * After this resolves no worker claims a task of the stage, not even after a restart. Claimed tasks run to their end:
 * `running` is their number.
 */
export async function pauseStage(
  context: Operating,
  stage: string,
  reason?: string,
  { dryRun = false }: DryRun = {},
): Promise<{ changed: boolean; running: number }> {
  const { id, paused_at: since } = (await readDirectory(context)).stage(stage);
  const { actor, clock, database } = context;
  if (dryRun) return { changed: since === null, running: await runningTasks(database, id) };
  const paused = { at: clock.now(), by: actor, reason: reason ?? null };
  const result = await perform(context, async (tx) => {
    const changed = await setPaused(tx, { stage: id, paused });
    if (changed) await record(tx, context, { act: "stage.pause", target: stage, why: reason });
    return { changed, running: await runningTasks(tx, id) };
  });
  await tellControls(context);
  return result;
}

export async function resumeStage(
  context: Operating,
  stage: string,
  reason?: string,
  { dryRun = false }: DryRun = {},
): Promise<{ changed: boolean }> {
  const { id, paused_at: since } = (await readDirectory(context)).stage(stage);
  if (dryRun) return { changed: since !== null };
  const changed = await perform(context, async (tx) => {
    const news = await setPaused(tx, { stage: id, paused: null });
    if (news) await record(tx, context, { act: "stage.resume", target: stage, why: reason });
    return news;
  });
  await tellControls(context);
  await tellWork(context, [id]);
  return { changed };
}

/**
 * Frees the claims of a worker for all workers at once; no attempt is counted. A live worker's late results are refused, and the
 * worker continues under a new number. Null: unknown worker.
 */
export async function freeWorker(
  context: Operating,
  worker: number,
  why?: string,
): Promise<{ freed: number } | null> {
  const { actor, clock } = context;
  const freed = await perform(context, async (tx) => {
    const because = `it was ended by ${actor}`;
    const tasks = await endWorker(tx, { worker, because, crashed: false, now: clock.now() });
    const target = `worker ${worker}`;
    if (tasks !== null) await record(tx, context, { act: "worker.free", target, why, detail: { tasks } });
    return tasks;
  });
  if (freed === null) return null;
  const { stages } = await readDirectory(context);
  await tellWork(
    context,
    stages.map((one) => one.id),
  );
  return { freed };
}
