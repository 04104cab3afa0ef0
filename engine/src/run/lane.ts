import { runsAhead } from "../decide/run-ahead.ts";
import {
  type Asking,
  idleLane,
  isInDoubt,
  isUnlimited,
  type LaneEffect,
  type LaneEvent,
  type LaneRules,
  type LaneState,
  mayReserve,
  roomOf,
  stepLane,
  theStart,
} from "../decide/step-lane.ts";
import type { Claim, ClaimedTask } from "../store/claims.ts";
import { isConnectionError } from "../store/database.ts";
import type { CommitParts } from "./committer.ts";
import type { PlannedStage } from "./graph.ts";
import { processClaim } from "./process-claim.ts";
import { countSuspects, type Suspects, type Turn } from "./suspects.ts";
import type { UnitParts } from "./unit.ts";

export interface LaneParts extends Omit<UnitParts, "commitPart" | "hasParts" | "resting">, CommitParts {
  readonly workerNumber: () => number;
  /** Concurrent units of a stage in this process. */
  readonly slots: number;
  /** Limit of tasks per claim. */
  readonly batchMax: number;
  /** Shared by all lanes of the worker. */
  readonly turn: Turn;
}

/** The path of one stage's tasks through this process: claim, run, commit. */
export interface Lane {
  readonly plan: PlannedStage;
  /** Claims due tasks within the available room; null: nothing. */
  take(): Promise<Claim | null>;
  /** Runs a claim until every task has been committed. */
  process(claim: Claim): Promise<void>;
  /** Number of tasks that may be claimed now. */
  room(): number;
  /** Reserves room for documents being accepted; false: the documents have to queue. */
  reserve(tasks: number): boolean;
  /** Ends a reservation with the resulting claim; null: no claim. */
  redeem(tasks: number, claim: Claim | null): void;
  /** An answer was lost: an unknown claim of ours may exist. */
  doubt(): void;
  /** Whether outputs may pass through this stage now, in the commit that makes them. */
  runsAhead(): boolean;
  /** Called when there is room again; set by the pump. */
  onRoom: () => void;
  /** The next due time after the last look, without notifications; may have passed by now. */
  nextDue(): Promise<Date | null>;
  /** A claim of ours may be unknown: only `take` finds out. */
  isInDoubt(): boolean;
}

const unitsPerProcess = 2;

export function makeLane(plan: PlannedStage, parts: LaneParts): Lane {
  const { clock, store, db, controls } = parts;
  const suspects = countSuspects(parts.turn, () => lane.onRoom());
  const moving: Moving = {
    plan,
    parts,
    rules: rulesOf(plan, parts),
    suspects,
    state: idleLane,
    tellRoom: () => lane.onRoom(),
  };
  const { rules } = moving;
  const step = (event: LaneEvent) => void stepTo(moving, event);
  const opening = () => controls.opening(plan, clock.now());
  const ahead = runsAhead(plan.stage);
  const lane: Lane = {
    plan,
    take: () => takeTasks(moving),
    process: (claim) => processClaim(plan, claim, { ...rules, parts, suspects, step }),
    room: () => roomOf(moving.state, rules),
    reserve(tasks) {
      const may = mayReserve(moving.state, tasks, opening, rules);
      if (may) step({ kind: "reserved", tasks });
      return may;
    },
    redeem: (tasks, claim) => step({ kind: "redeemed", tasks, claim: claim?.id ?? null }),
    doubt: () => step({ kind: "doubted" }),
    runsAhead: () => ahead && isUnlimited(opening()),
    onRoom: () => undefined,
    // No look has seen a task due since the last look.
    nextDue: () => store.nextReadyAt(db, plan.number, moving.state.lookedAt ?? clock.now()),
    isInDoubt: () => isInDoubt(moving.state, clock.now()),
  };
  return lane;
}

/** Two units for each process are enough; further units would only wait in memory, and pass for slow. */
function rulesOf({ stage }: PlannedStage, parts: LaneParts): LaneRules {
  const useful = stage.isolate ? unitsPerProcess * parts.isolates.processesMax : Number.POSITIVE_INFINITY;
  return {
    slots: Math.min(parts.slots, useful),
    unitSize: stage.shape === "batch" ? stage.batch : 1,
    batchMax: parts.batchMax,
    plain: stage.shape === "single" && stage.concurrency === null && stage.rate === null,
  };
}

/** A lane with the current state. */
interface Moving {
  readonly plan: PlannedStage;
  readonly parts: LaneParts;
  readonly rules: LaneRules;
  readonly suspects: Suspects;
  state: LaneState;
  readonly tellRoom: () => void;
}

/** Moves the lane, and returns the effect to be answered. */
function stepTo(moving: Moving, event: LaneEvent): Exclude<LaneEffect, { kind: "tell-room" }> | null {
  const { state, effect } = stepLane(moving.state, event, moving.rules);
  moving.state = state;
  if (effect?.kind !== "tell-room") return effect;
  moving.tellRoom();
  return null;
}

async function takeTasks(moving: Moving): Promise<Claim | null> {
  const { plan, parts } = moving;
  const { clock, store, db, controls } = parts;
  const now = clock.now();
  let claim: Claim | null = null;
  let effect = stepTo(moving, { kind: "look", opening: controls.opening(plan, now), now });
  while (effect) {
    switch (effect.kind) {
      case "ask-to-probe": {
        const granted = await mayProbe(moving, effect.dependency);
        effect = stepTo(moving, { kind: "probing", granted, now: clock.now() });
        break;
      }
      case "release-strays": {
        const { held, asking } = effect;
        await store.releaseStrays(db, { stage: plan.number, worker: parts.workerNumber(), held });
        effect = stepTo(moving, { kind: "strays-released", asking, now: clock.now() });
        break;
      }
      case "claim": {
        const asked: Asking = effect.asking;
        claim = await claimTasks(moving, asked);
        effect = stepTo(moving, answerOf(claim, asked, clock.now()));
      }
    }
  }
  return claim;
}

function answerOf(claim: Claim | null, asked: Asking, now: Date): LaneEvent {
  if (!claim) return { kind: "found-nothing", asked, now };
  const { rank, readyAt, subject } = claim.tasks.at(-1) as ClaimedTask;
  const last = { rank, readyAt, subject };
  return { kind: "claimed", asked, claim: { id: claim.id, tasks: claim.tasks.length, last }, now };
}

/** A stage without due tasks must not use up the turn to probe. */
const mayProbe = async ({ plan, parts }: Moving, dependency: string): Promise<boolean> =>
  (await parts.store.hasDue(parts.db, { stage: plan.number, now: parts.clock.now() })) &&
  (await parts.breakers.mayProbe(dependency));

async function claimTasks(moving: Moving, { from, most, probe, now }: Asking): Promise<Claim | null> {
  const { plan, parts, suspects } = moving;
  // A probe is alone anyway; if only suspects wait, a suspect has to be the probe.
  const allowed = probe ? suspects.allowProbe() : suspects.allow(most, { fromStart: from === theStart });
  let claim: Claim | null = null;
  try {
    const ask = { stage: plan.number, worker: parts.workerNumber(), now, from, ...allowed };
    claim = await parts.store.takeTasks(parts.db, ask);
  } catch (error) {
    if (isConnectionError(error)) stepTo(moving, { kind: "answer-lost" });
    throw error;
  } finally {
    suspects.answered(allowed, claim?.tasks[0]?.crashes ?? 0);
  }
  return claim;
}
