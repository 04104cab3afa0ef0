import {
  nextRampStep,
  type RampItem,
  type RampMove,
  type RampState,
  rampSizes,
  rampStart,
} from "../decide/ramp.ts";
import { DefinitionError } from "../define/definition-error.ts";
import { findSeries, holdSeries } from "../store/audit.ts";
import type { Queryable } from "../store/database.ts";
import { type DeadLetterFilter, listDeadLetters, resultsOf } from "../store/dead-letters.ts";
import { type Operating, perform, record, tellWork } from "./context.ts";
import { type DeadFilter, showFilter, toFilter } from "./dead-letters.ts";
import { move } from "./requeue.ts";

/** One step of a ramp, and the outcome of the previous step. */
export interface RampStep {
  /** Number of the ramp, for continuing, also after a crash. */
  readonly ramp: number;
  readonly step: number;
  readonly requeued: number;
  readonly move: RampMove | { readonly kind: "finished" };
}

const rampAct = "dead.ramp";

interface RampDetail extends RampState {
  readonly ramp: number | null;
  readonly filter: DeadFilter;
  /** Total limit; null: all matching letters. */
  readonly limit: number | null;
  /** The fingerprint that came back; absent while all goes well. */
  readonly stopped?: string;
  /** The person behind a stop. */
  readonly halted?: string;
}

/** Limit and reason of a ramp. */
export interface RampOptions {
  /** The reason, for the audit. */
  readonly why?: string;
  /** At most so many dead letters in all. */
  readonly limit?: number;
}

/** Requeues one dead letter. `continueRamp` requeues 2, 5, 20 … more, unless a task dies of the same cause again. */
export async function startRamp(
  context: Operating,
  filter: DeadFilter,
  { why, limit }: RampOptions = {},
): Promise<RampStep> {
  const found = await toFilter(context, filter);
  const begun = { ramp: null, state: rampStart, limit: limit ?? null };
  return await finishStep(context, (tx) =>
    go(tx, context, { filter, found, why, ...begun, size: rampSizes[0] }),
  );
}

/** The newest unfinished ramp for the same letters: neither at its end nor stopped. */
export async function openRamp(
  { database }: Operating,
  filter: DeadFilter,
  { limit }: Pick<RampOptions, "limit"> = {},
): Promise<number | null> {
  const series = await findSeries(database, { act: rampAct, filter, limit: limit ?? null });
  if (!series) return null;
  const { batch, stopped, halted } = series.detail as RampDetail;
  return batch.length === 0 || stopped !== undefined || halted !== undefined ? null : series.first;
}

/** The next step of a ramp, if the last ended well. `anyway` continues although the same fault came back. */
export async function continueRamp(
  context: Operating,
  ramp: number,
  { anyway = false }: { anyway?: boolean } = {},
): Promise<RampStep> {
  return await finishStep(context, async (tx) => {
    const held = await holdRamp(tx, ramp);
    const state = held.detail as RampDetail;
    const next: RampMove =
      state.halted === undefined
        ? nextRampStep(state, await resultsOf(tx, state.batch))
        : { kind: "stop", fingerprint: `halted by ${state.halted}`, returned: 0 };
    const { step, requeued, filter, limit } = state;
    const why = held.why ?? undefined;
    if (next.kind === "wait" || (next.kind === "stop" && !anyway)) {
      // Recorded once, so the next call starts over with one letter instead of waiting for nothing.
      const detail: RampDetail = {
        ...state,
        ramp,
        ...(next.kind === "stop" && { stopped: next.fingerprint }),
      };
      if (next.kind === "stop" && state.stopped === undefined && state.halted === undefined)
        await record(tx, context, { act: rampAct, target: showFilter(filter), why, detail });
      return { ramp, step, requeued, move: next, batch: [] };
    }
    const size = next.kind === "go" ? next.size : state.batch.length || 1;
    const found = await toFilter({ ...context, database: tx }, reviveDates(filter));
    return await go(tx, context, { filter, found, why, ramp, state, limit, size });
  });
}

/** Stops a ramp: its requeued letters go on, the others stay dead until `continueRamp` with `anyway`. */
export async function stopRamp(
  context: Operating,
  ramp: number,
  { why }: { readonly why?: string } = {},
): Promise<{ readonly changed: boolean }> {
  return await perform(context, async (tx) => {
    const state = (await holdRamp(tx, ramp)).detail as RampDetail;
    const ended = state.batch.length === 0 || state.stopped !== undefined || state.halted !== undefined;
    if (ended) return { changed: false };
    const detail: RampDetail = { ...state, ramp, halted: context.actor };
    await record(tx, context, { act: rampAct, target: showFilter(state.filter), why, detail });
    return { changed: true };
  });
}

async function holdRamp(tx: Queryable, ramp: number) {
  const held = await holdSeries(tx, { first: ramp, act: rampAct });
  if (!held) throw new DefinitionError(`There is no ramp ${ramp}.`);
  return held;
}

async function finishStep(
  context: Operating,
  work: (tx: Queryable) => Promise<RampStep & { batch: readonly RampItem[] }>,
): Promise<RampStep> {
  const { batch, ...step } = await perform(context, work);
  await tellWork(
    context,
    batch.map((one) => one.stage),
  );
  return step;
}

interface Go {
  readonly filter: DeadFilter;
  readonly found: DeadLetterFilter;
  readonly why: string | undefined;
  readonly ramp: number | null;
  readonly state: RampState;
  readonly limit: number | null;
  readonly size: number;
}

/** The state of the ramp is recorded in the transaction of the step, so a crash cannot lose it. */
async function go(tx: Queryable, context: Operating, given: Go) {
  const { filter, found, why, ramp, state, limit, size } = given;
  const most = limit === null ? size : Math.min(size, limit - state.requeued);
  const page = await listDeadLetters(tx, found, { after: 0, limit: most });
  const moved = await move(
    tx,
    context,
    page.map((one) => one.id),
  );
  const batch = moved.map(({ subject, stage, fingerprint }): RampItem => ({ subject, stage, fingerprint }));
  const step = state.step + 1;
  const requeued = state.requeued + batch.length;
  const detail: RampDetail = { ramp, filter, limit, step, requeued, batch };
  const id = await record(tx, context, { act: rampAct, target: showFilter(filter), why, detail });
  const made: RampStep["move"] = batch.length > 0 ? { kind: "go", size: batch.length } : { kind: "finished" };
  return { ramp: ramp ?? id, step, requeued, move: made, batch };
}

/** Moments come back from JSON as text. */
function reviveDates(filter: DeadFilter): DeadFilter {
  const revive = <T>(given: T): T | Date =>
    typeof given === "string" && /^\d{4}-/.test(given) ? new Date(given) : given;
  const { olderThan, newerThan } = filter;
  return {
    ...filter,
    ...(olderThan !== undefined && { olderThan: revive(olderThan) }),
    ...(newerThan !== undefined && { newerThan: revive(newerThan) }),
  };
}
