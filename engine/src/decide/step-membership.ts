/** This process among the workers, as data; `stepMembership` makes the next state. */
export interface MembershipState {
  /** Our number; null: not listed yet. */
  readonly number: number | null;
  /** The number covered by our session: from the moment of assignment, before the row is visible. */
  readonly vouched: number | null;
  readonly left: boolean;
  /** The reason to start again under a new number with the next heartbeat. */
  readonly doomed: string | null;
  /** Workers without a session, and since when. */
  readonly missingSince: ReadonlyMap<number, Date>;
  /** Workers ended within the last seconds. */
  readonly lastEnded: readonly number[];
  /** The last look saw no other worker, dead or alive. */
  readonly onlyOne: boolean;
}

export const stranger: MembershipState = {
  number: null,
  vouched: null,
  left: false,
  doomed: null,
  missingSince: new Map(),
  lastEnded: [],
  onlyOne: false,
};

/** A worker without a session, or silent for too long. */
export interface MissingFacts {
  readonly id: number;
  /** The heartbeat lapsed. */
  readonly silent: boolean;
  /** The process is gone from this machine: with the session lost too, there is no need to wait. */
  readonly gone: boolean;
}

export type MembershipEvent =
  | { readonly kind: "numbered"; readonly number: number }
  | { readonly kind: "enlisted"; readonly number: number }
  /** All workers listed at the start of a database of one process. */
  | { readonly kind: "found-alone"; readonly others: readonly number[] }
  | { readonly kind: "beaten"; readonly living: boolean }
  | { readonly kind: "gave-up"; readonly because: string }
  | { readonly kind: "looked"; readonly ended: readonly number[]; readonly listed: number }
  | { readonly kind: "missed"; readonly missing: readonly MissingFacts[]; readonly now: Date }
  | { readonly kind: "evicted"; readonly worker: number; readonly because: string; readonly freed: number }
  /** The worker was locked, or is being evicted by another process. */
  | { readonly kind: "eviction-blocked" }
  /** A session broke, or the lock was still held by the session before. */
  | { readonly kind: "session-lost"; readonly worker: number }
  | { readonly kind: "left" };

/** What `run/membership.ts` does, in this order. */
export type MembershipEffect =
  | { readonly kind: "renew"; readonly because: string }
  | { readonly kind: "find-dead" }
  | ({ readonly kind: "evict" } & Evicting)
  /** Ends sessions of frozen processes, which block evictions. */
  | { readonly kind: "end-frozen" }
  /** A worker ended, which may have freed tasks. */
  | { readonly kind: "tell-ended" }
  | {
      readonly kind: "tell-evicted";
      readonly worker: number;
      readonly because: string;
      readonly freed: number;
    }
  | { readonly kind: "relock"; readonly worker: number };

export interface Evicting {
  readonly worker: number;
  readonly because: string;
  /** Other workers are missing at the same moment, so a claimed document is an unlikely cause. */
  readonly together: boolean;
  /** Whether to leave the eviction to a concurrent process. */
  readonly skip: boolean;
}

export interface MembershipStep {
  readonly state: MembershipState;
  readonly effects: readonly MembershipEffect[];
}

/** Time without a session before a worker counts as dead: living workers reconnect sooner. */
const missingMs = 500;

/** The next state of a worker among workers, and the resulting effects. Pure. */
export function stepMembership(state: MembershipState, event: MembershipEvent): MembershipStep {
  switch (event.kind) {
    case "numbered":
      return quiet({ ...state, vouched: event.number });
    case "enlisted":
      return quiet({ ...state, number: event.number, doomed: null });
    case "found-alone":
      return {
        state,
        effects: evictions(event.others, "its process ended", {
          together: event.others.length > 1,
          skip: false,
        }),
      };
    case "beaten": {
      if (state.doomed === null && event.living) return quiet(state);
      const because = state.doomed ?? "it was declared dead";
      // Remembered until enlisted: after a broken connection the next heartbeat continues.
      return { state: { ...state, doomed: because }, effects: [{ kind: "renew", because }] };
    }
    case "gave-up":
      return quiet({ ...state, doomed: event.because });
    case "looked":
      return looked(state, event);
    case "missed":
      return missed(state, event);
    case "evicted": {
      const missingSince = new Map(state.missingSince);
      missingSince.delete(event.worker);
      const { worker, because, freed } = event;
      return {
        state: { ...state, missingSince },
        effects: [{ kind: "tell-evicted", worker, because, freed }],
      };
    }
    case "eviction-blocked":
      return { state, effects: [{ kind: "end-frozen" }] };
    case "session-lost":
      if (state.left || event.worker !== state.vouched) return quiet(state);
      return { state, effects: [{ kind: "relock", worker: event.worker }] };
    case "left":
      return quiet({ ...state, left: true });
  }
}

const quiet = (state: MembershipState): MembershipStep => ({ state, effects: [] });

function looked(
  state: MembershipState,
  { ended, listed }: Extract<MembershipEvent, { kind: "looked" }>,
): MembershipStep {
  const effects: MembershipEffect[] = [];
  if (ended.some((id) => !state.lastEnded.includes(id))) effects.push({ kind: "tell-ended" });
  // Only our own row is listed: no worker can be dead.
  const onlyOne = listed <= 1;
  if (!onlyOne) effects.push({ kind: "find-dead" });
  return { state: { ...state, lastEnded: ended, onlyOne }, effects };
}

/** Hung workers come last: they may have locked their claims, and the rest must not wait. */
function missed(
  state: MembershipState,
  { missing, now }: Extract<MembershipEvent, { kind: "missed" }>,
): MembershipStep {
  const missingSince = new Map(missing.map(({ id }) => [id, state.missingSince.get(id) ?? now]));
  const due = missing.filter(({ id, silent, gone }) => {
    const sinceMs = now.getTime() - (missingSince.get(id) ?? now).getTime();
    return silent || gone || sinceMs >= missingMs;
  });
  const ids = (silent: boolean) => due.filter((one) => one.silent === silent).map((one) => one.id);
  const how = { together: due.length > 1, skip: true };
  const hung = evictions(ids(true), "its heartbeat stopped", how);
  const effects = evictions(ids(false), "its session ended", how);
  if (hung.length > 0) effects.push({ kind: "end-frozen" }, ...hung);
  return { state: { ...state, missingSince }, effects };
}

const evictions = (
  workers: readonly number[],
  because: string,
  { together, skip }: Pick<Evicting, "together" | "skip">,
): MembershipEffect[] => workers.map((worker) => ({ kind: "evict", worker, because, together, skip }));
