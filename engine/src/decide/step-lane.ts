import type { Opening } from "./eligible.ts";

/** The path of a stage's tasks through a process, as data; `stepLane` makes the next state. */
export interface LaneState {
  /** Tasks claimed or reserved, and not yet committed. */
  readonly tasks: number;
  /** Claimed tasks waiting for a retry in place, without a slot. */
  readonly resting: number;
  /** Time of a task in a slot; null: not learned yet. */
  readonly taskMs: number | null;
  /** Position of the last claim in the order of the queue. */
  readonly place: Place;
  /** The last claim from the start of the queue. */
  readonly scannedAt: number;
  readonly claims: readonly number[];
  /** Until then a claim of ours may exist outside of `claims`: the answer was lost. */
  readonly doubtUntil: number;
  readonly lookedAt: Date | null;
}

/** A position in the order of the queue. */
export interface Place {
  readonly rank: number;
  readonly readyAt: Date;
  readonly subject: number;
}

export const theStart: Place = { rank: -32_768, readyAt: new Date(0), subject: 0 };

export const idleLane: LaneState = {
  tasks: 0,
  resting: 0,
  taskMs: null,
  place: theStart,
  scannedAt: 0,
  claims: [],
  doubtUntil: 0,
  lookedAt: null,
};

export interface LaneRules {
  /** Concurrent units. */
  readonly slots: number;
  /** Tasks of a unit. */
  readonly unitSize: number;
  /** Limit of tasks per claim. */
  readonly batchMax: number;
  /** A stage of single documents without limits: the database need not be asked before documents start. */
  readonly plain: boolean;
}

export type LaneEvent =
  | { readonly kind: "look"; readonly opening: Opening; readonly now: Date }
  /** Answers to the effects. */
  | { readonly kind: "probing"; readonly granted: boolean; readonly now: Date }
  | { readonly kind: "strays-released"; readonly asking: Asking; readonly now: Date }
  | { readonly kind: "claimed"; readonly asked: Asking; readonly claim: Claimed; readonly now: Date }
  | { readonly kind: "found-nothing"; readonly asked: Asking; readonly now: Date }
  | { readonly kind: "answer-lost" }
  /** Another part of the process lost an answer: a claim of this stage may exist. */
  | { readonly kind: "doubted" }
  /** Room for documents being accepted, and the end of the reservation with or without a claim. */
  | { readonly kind: "reserved"; readonly tasks: number }
  | { readonly kind: "redeemed"; readonly tasks: number; readonly claim: number | null }
  | { readonly kind: "rested"; readonly tasks: number }
  | { readonly kind: "committed"; readonly tasks: number }
  | { readonly kind: "ran"; readonly units: number; readonly elapsedMs: number }
  /** All tasks of a claim are committed, or given up: `left`. */
  | { readonly kind: "ended"; readonly claim: number; readonly left: number };

/** A new claim; `last`: the position of the last task. */
export interface Claimed {
  readonly id: number;
  readonly tasks: number;
  readonly last: Place;
}

/** A claim to be made. */
export interface Asking {
  readonly from: Place;
  readonly most: number;
  readonly probe: boolean;
  readonly now: Date;
}

/** What `run/lane.ts` does next. */
export type LaneEffect =
  | { readonly kind: "ask-to-probe"; readonly dependency: string }
  | { readonly kind: "release-strays"; readonly held: readonly number[]; readonly asking: Asking }
  | { readonly kind: "claim"; readonly asking: Asking }
  /** There may be room again. */
  | { readonly kind: "tell-room" };

export interface LaneStep {
  readonly state: LaneState;
  /** Null: nothing to do. */
  readonly effect: LaneEffect | null;
}

/** A fast stage is claimed for so long in advance. */
const workAheadMs = 100;
const rescanMs = 200;
/** While a claim is committed and waits for the disk, further claims are made and run. */
const claimsAhead = 4;
/** A disconnected session may still make a claim. */
const doubtMs = 60_000;

/** The next state of a lane, and the resulting effect. Pure. */
export function stepLane(state: LaneState, event: LaneEvent, rules: LaneRules): LaneStep {
  switch (event.kind) {
    case "look":
      return look({ ...state, lookedAt: event.now }, event, rules);
    case "probing":
      if (!event.granted) return quiet(state);
      return ask(state, { from: firstPlace(state, event.now), most: 1, probe: true, now: event.now });
    case "strays-released": {
      const doubtUntil = Math.min(state.doubtUntil, event.now.getTime() + doubtMs);
      return { state: { ...state, doubtUntil }, effect: { kind: "claim", asking: event.asking } };
    }
    case "claimed": {
      const { id, tasks, last } = event.claim;
      const claims = [...state.claims, id];
      const scannedAt = scanned(state, event);
      return quiet({ ...state, tasks: state.tasks + tasks, place: last, claims, scannedAt });
    }
    case "found-nothing":
      // Nothing behind the last position: tasks may have been inserted in front.
      if (event.asked.from !== theStart) return ask(state, { ...event.asked, from: theStart });
      return quiet({ ...state, place: theStart, scannedAt: scanned(state, event) });
    case "answer-lost":
      return quiet({ ...state, doubtUntil: Number.POSITIVE_INFINITY });
    case "doubted":
      return room({ ...state, doubtUntil: Number.POSITIVE_INFINITY });
    case "reserved":
      return quiet({ ...state, tasks: state.tasks + event.tasks });
    case "redeemed":
      if (event.claim === null) return quiet({ ...state, tasks: state.tasks - event.tasks });
      return quiet({ ...state, claims: [...state.claims, event.claim] });
    case "rested":
      return quiet({ ...state, resting: state.resting + event.tasks });
    case "committed":
      return room({ ...state, tasks: state.tasks - event.tasks });
    case "ran":
      return quiet({ ...state, taskMs: learned(state.taskMs, event, rules) });
    case "ended": {
      const claims = state.claims.filter((claim) => claim !== event.claim);
      return quiet({ ...state, claims, tasks: state.tasks - event.left });
    }
  }
}

const quiet = (state: LaneState): LaneStep => ({ state, effect: null });
const room = (state: LaneState): LaneStep => ({ state, effect: { kind: "tell-room" } });

function look(
  state: LaneState,
  { opening, now }: Extract<LaneEvent, { kind: "look" }>,
  rules: LaneRules,
): LaneStep {
  if (opening.kind === "shut") return quiet(state);
  const { limit, probe } = opening;
  // A probe ignores tasks hanging since before the outage: the turn to probe is exclusive.
  const allowed = limit === null || probe ? rules.batchMax : Math.max(0, limit - state.tasks);
  const most = Math.min(roomOf(state, rules), rules.batchMax, allowed, limit ?? rules.batchMax);
  // A worker without room must not use up the turn to probe.
  if (most <= 0) return quiet(state);
  if (probe) return { state, effect: { kind: "ask-to-probe", dependency: probe } };
  return ask(state, { from: firstPlace(state, now), most, probe: false, now });
}

const scanned = (
  { scannedAt }: LaneState,
  { asked, now }: { readonly asked: Asking; readonly now: Date },
): number => (asked.from === theStart ? now.getTime() : scannedAt);

/** Claims go on at the last position; from the start now and then, for tasks inserted in front. */
const firstPlace = ({ place, scannedAt }: LaneState, now: Date): Place =>
  now.getTime() - scannedAt >= rescanMs ? theStart : place;

/** A claim with a lost answer is unknown to us: such claims are released before the next claim. */
function ask(state: LaneState, asking: Asking): LaneStep {
  if (!isInDoubt(state, asking.now)) return { state, effect: { kind: "claim", asking } };
  return { state, effect: { kind: "release-strays", held: state.claims, asking } };
}

export const isInDoubt = ({ doubtUntil }: LaneState, now: Date): boolean => now.getTime() < doubtUntil;

/** Slow stages claim as much as can run at once; fast stages claim work for a moment ahead. */
function windowOf({ taskMs }: LaneState, { slots, unitSize, batchMax }: LaneRules): number {
  const atOnce = slots * unitSize;
  if (taskMs === null) return atOnce;
  const ahead = Math.ceil((slots * workAheadMs) / Math.max(taskMs, 0.01));
  return Math.max(atOnce, Math.min(ahead, claimsAhead * batchMax));
}

/**
 * Number of tasks to claim now. Fast stages wait for room for a whole batch: many small claims cost more than a large
 * claim.
 */
export function roomOf(state: LaneState, rules: LaneRules): number {
  const whole = windowOf(state, rules);
  const free = Math.max(0, whole - (state.tasks - state.resting));
  const fast = whole > rules.slots * rules.unitSize;
  return fast && free < Math.min(rules.batchMax, whole / 2) ? 0 : free;
}

/** Whether documents being accepted may start at once, without a look at the queue. */
export const mayReserve = (
  state: LaneState,
  tasks: number,
  opening: () => Opening,
  rules: LaneRules,
): boolean => rules.plain && state.tasks === 0 && tasks <= rules.slots && isUnlimited(opening());

export const isUnlimited = (opening: Opening): boolean => opening.kind === "open" && opening.limit === null;

function learned(
  before: number | null,
  { units, elapsedMs }: { readonly units: number; readonly elapsedMs: number },
  { slots, unitSize }: LaneRules,
): number | null {
  if (units === 0) return before;
  const each = (elapsedMs * Math.min(slots, units)) / (units * unitSize);
  return before === null ? each : before * 0.7 + each * 0.3;
}
