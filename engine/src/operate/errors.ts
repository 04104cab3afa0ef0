import { type ErrorReport, type GroupState, toErrorEvent } from "../decide/error-report.ts";
import { DefinitionError } from "../define/definition-error.ts";
import {
  addError,
  changeErrorGroup,
  countErrors,
  type ErrorFilter,
  type ErrorGroup,
  type ErrorStats,
  forgetErrors,
  listErrorEvents,
  listErrorGroups,
} from "../store/errors.ts";
import { type Operating, perform, record } from "./context.ts";

/** Takes errors of other services in, all or none; the same `id` of a service again changes nothing. */
export async function reportErrors(
  context: Operating,
  reports: readonly ErrorReport[],
): Promise<{ readonly ids: readonly number[]; readonly groups: readonly string[] }> {
  const now = context.clock.now();
  const events = reports.map(toErrorEvent);
  // Groups are locked in one order, so two reporters cannot block each other for ever.
  const order = events
    .map((_, at) => at)
    .sort((a, b) => compare(events[a]?.fingerprint, events[b]?.fingerprint));
  const ids = await perform(context, async (tx) => {
    const added = new Map<number, number>();
    for (const at of order) added.set(at, await addError(tx, events[at] as (typeof events)[number], now));
    await forgetErrors(tx);
    return events.map((_, at) => added.get(at) as number);
  });
  return { ids, groups: [...new Set(events.map((one) => one.fingerprint))] };
}

const compare = (a = "", b = ""): number => (a < b ? -1 : a > b ? 1 : 0);

/** Reported errors, newest first; the newest 10,000 are kept. */
export const listErrors = ({ database }: Operating, filter: ErrorFilter = {}) =>
  listErrorEvents(database, filter);

/** Reported errors by cause, with exact counts. */
export const groupErrors = (
  { database }: Operating,
  { state = null, limit = 100 }: { readonly state?: GroupState | null; readonly limit?: number } = {},
): Promise<ErrorGroup[]> => listErrorGroups(database, state, limit);

/** Counts of the kept errors by service, level, type and hour. */
export const errorStats = ({ database }: Operating): Promise<ErrorStats> => countErrors(database);

/** A change of a group of errors. */
export interface ErrorGroupChange {
  /** The new state. */
  readonly state: GroupState;
  /** Resolved in this release: only newer releases open the group again. */
  readonly release?: string | undefined;
  /** The reason, for the audit. */
  readonly why?: string | undefined;
}

/** Resolves, mutes or opens a group. */
export async function setErrorGroup(
  context: Operating,
  fingerprint: string,
  { state, release, why }: ErrorGroupChange,
): Promise<ErrorGroup> {
  return await perform(context, async (tx) => {
    const change = { fingerprint, state, release: release ?? null, now: context.clock.now() };
    const group = await changeErrorGroup(tx, change);
    if (!group)
      throw new DefinitionError(
        `There is no group of errors "${fingerprint}"; "headway errors groups" lists them.`,
      );
    await record(tx, context, { act: `error-${state}`, target: fingerprint, why, detail: { release } });
    return group;
  });
}
