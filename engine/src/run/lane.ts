import { runsAhead } from "../decide/run-ahead.ts";
import { settleClaimed } from "../decide/settle-claimed.ts";
import { type Claim, type ClaimedTask, type Place, theStart } from "../store/claims.ts";
import { isConnectionError } from "../store/database.ts";
import type { MemberRow } from "../store/groups.ts";
import { type Item, itemOf } from "./attempt.ts";
import { type CommitParts, startCommitter } from "./committer.ts";
import type { PlannedStage } from "./graph.ts";
import { holdBack } from "./hold-back.ts";
import { readLooks } from "./look-ups.ts";
import { countSuspects, type Turn } from "./suspects.ts";
import { failedOnce, type Result, type UnitParts, work } from "./unit.ts";

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

const workAheadMs = 100;
const rescanMs = 200;
/** While a claim is committed and waits for the disk, further claims are made and run. */
const claimsAhead = 4;
const doubtMs = 60_000;
const unitsPerProcess = 2;
/** Tasks whose look-ups are in memory at a time. */
const lookingMax = 64;

export function makeLane(plan: PlannedStage, parts: LaneParts): Lane {
  const { clock, store, db, controls, batchMax } = parts;
  const { stage } = plan;
  // Two units for each process keep it busy; further units would only wait in memory, and pass for slow.
  const useful = stage.isolate ? unitsPerProcess * parts.isolates.processesMax : Number.POSITIVE_INFINITY;
  const slots = Math.min(parts.slots, useful);
  const unitSize = stage.shape === "batch" ? stage.batch : 1;
  let inHand = 0;
  let resting = 0;
  const suspects = countSuspects(parts.turn, () => lane.onRoom());
  let taskMs: number | null = null;
  let place: Place = theStart;
  let scannedAt = 0;
  const held = new Set<number>();
  let doubtUntil = 0;
  let lookedAt: Date | null = null;

  /** Slow stages claim as much as can run at once; fast stages as much as keeps them busy for a moment. */
  const window = () => {
    const atOnce = slots * unitSize;
    if (taskMs === null) return atOnce;
    const ahead = Math.ceil((slots * workAheadMs) / Math.max(taskMs, 0.01));
    return Math.max(atOnce, Math.min(ahead, claimsAhead * batchMax));
  };
  /** Fast stages wait for room for a whole batch: many small claims would cost more than they bring. */
  const room = () => {
    const whole = window();
    const free = Math.max(0, whole - (inHand - resting));
    return whole > slots * unitSize && free < Math.min(batchMax, whole / 2) ? 0 : free;
  };

  /** A claim with a lost answer is unknown to us: such claims are released before the next claim. */
  async function claimTasks(ask: Parameters<typeof store.takeTasks>[1]): Promise<Claim | null> {
    const { stage: number, worker } = ask;
    if (clock.now().getTime() < doubtUntil) {
      await store.releaseStrays(db, { stage: number, worker, held: [...held] });
      // A disconnected session may still make its claim.
      doubtUntil = Math.min(doubtUntil, clock.now().getTime() + doubtMs);
    }
    try {
      return await store.takeTasks(db, ask);
    } catch (error) {
      if (isConnectionError(error)) doubtUntil = Number.POSITIVE_INFINITY;
      throw error;
    }
  }

  /** A stage without due tasks must not use up the turn to probe. */
  const mayProbe = async (dependency: string): Promise<boolean> =>
    (await store.hasDue(db, { stage: plan.number, now: clock.now() })) &&
    (await parts.breakers.mayProbe(dependency));

  const opening = () => controls.opening(plan, clock.now());
  async function take(): Promise<Claim | null> {
    lookedAt = clock.now();
    const open = opening();
    if (open.kind === "shut") return null;
    // A probe ignores tasks that hang since before the outage: the probe's turn ensures that it is alone.
    const allowed = open.limit === null || open.probe ? batchMax : Math.max(0, open.limit - inHand);
    const most = Math.min(room(), batchMax, allowed, open.limit ?? batchMax);
    // A worker without room must not use up the turn to probe.
    if (most <= 0) return null;
    if (open.probe && !(await mayProbe(open.probe))) return null;
    const now = clock.now();
    const worker = parts.workerNumber();
    const claimFrom = async (from: Place) => {
      // A probe is alone anyway; if only suspects wait, a suspect has to be the probe.
      const asked = open.probe
        ? suspects.allowProbe()
        : suspects.allow(most, { fromStart: from === theStart });
      let claim: Claim | null = null;
      try {
        claim = await claimTasks({ stage: plan.number, worker, now, from, ...asked });
      } finally {
        suspects.answered(asked, claim?.tasks[0]?.crashes ?? 0);
      }
      return claim;
    };
    // Reading continues at the last position; from the start now and then, for tasks inserted in front.
    const rescan = place === theStart || now.getTime() - scannedAt >= rescanMs;
    let claim = rescan ? null : await claimFrom(place);
    if (!claim) {
      claim = await claimFrom(theStart);
      scannedAt = clock.now().getTime();
    }
    const last = claim?.tasks.at(-1);
    place = last ? { rank: last.rank, readyAt: last.readyAt, subject: last.subject } : theStart;
    if (claim) {
      inHand += claim.tasks.length;
      held.add(claim.id);
    }
    return claim;
  }

  async function process(claim: Claim): Promise<void> {
    const startedAt = clock.now().getTime();
    let left = claim.tasks.length;
    // All tasks of a claim are of one kind.
    const letGo = suspects.hold(claim.tasks[0]?.crashes ?? 0, left);
    const committer = startCommitter(plan, claim, parts, (tasks) => {
      left -= tasks;
      inHand -= tasks;
      letGo(tasks);
      lane.onRoom();
    });
    try {
      const unitParts: UnitParts = {
        ...parts,
        commitPart: committer.commitPart,
        hasParts: committer.hasParts,
        resting: (tasks) => {
          resting += tasks;
        },
      };
      let ran = 0;
      for (const tasks of plan.looks.length === 0 ? [claim.tasks] : chunk(claim.tasks, lookingMax)) {
        const { items, results } = await sort(plan, tasks, parts);
        committer.add(results);
        const units = chunk(items, unitSize);
        await runUnits(units, slots, async (unit) => committer.add(await work(plan, unit, unitParts)));
        ran += units.length;
      }
      learn(clock.now().getTime() - startedAt, ran);
      await committer.finish();
    } finally {
      held.delete(claim.id);
      letGo(left);
      inHand -= left;
    }
  }

  /** Learns how long a task keeps a slot busy. */
  function learn(elapsedMs: number, units: number): void {
    if (units === 0) return;
    const each = (elapsedMs * Math.min(slots, units)) / (units * unitSize);
    taskMs = taskMs === null ? each : taskMs * 0.7 + each * 0.3;
  }

  /** Without limits, and without anything to learn first, the database need not be asked. */
  const isPlain = stage.shape === "single" && stage.concurrency === null && stage.rate === null;
  const isOpen = () => {
    const now = opening();
    return now.kind === "open" && now.limit === null;
  };
  const ahead = runsAhead(stage);
  const lane: Lane = {
    plan,
    take,
    process,
    room,
    reserve(tasks) {
      if (!isPlain || inHand > 0 || tasks > slots || !isOpen()) return false;
      inHand += tasks;
      return true;
    },
    runsAhead: () => ahead && isOpen(),
    redeem(tasks, claim) {
      if (claim) held.add(claim.id);
      else inHand -= tasks;
    },
    doubt() {
      doubtUntil = Number.POSITIVE_INFINITY;
      lane.onRoom();
    },
    onRoom: () => undefined,
    // A task that became due since the look was seen by nobody.
    nextDue: () => store.nextReadyAt(db, plan.number, lookedAt ?? clock.now()),
    isInDoubt: () => clock.now().getTime() < doubtUntil,
  };
  return lane;
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
  parts: LaneParts,
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
  { store, db }: LaneParts,
): Promise<Map<number, MemberRow[]>> {
  const groups = new Map<number, MemberRow[]>(tasks.map((task) => [task.subject, []]));
  if (tasks.length === 0) return groups;
  for (const row of await store.loadMembers(db, [...groups.keys()], plan.after))
    groups.get(row.grouping)?.push(row);
  return groups;
}

/** The result of a task that need not, or must not, be run; null for all other tasks. */
function foregone(plan: PlannedStage, item: Item, { controls, clock }: LaneParts): Result | null {
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
