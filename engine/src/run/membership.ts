import { hostname } from "node:os";
import type { Emit } from "../decide/signal.ts";
import {
  type Evicting,
  type MembershipEffect,
  type MembershipEvent,
  type MembershipState,
  stepMembership,
  stranger,
} from "../decide/step-membership.ts";
import type { Database, Session } from "../store/database.ts";
import { leaveSingletons } from "../store/singletons.ts";
import type { Store } from "../store/store.ts";
import { claimsOf, isLockedNow, listLivingWorkers, type Missing, workerLockKey } from "../store/workers.ts";
import { addMs, type Clock } from "./clock.ts";

/** This process as a worker: number, heartbeat, and evictions of dead workers. */
export interface Membership {
  /** Changes after our own eviction. */
  number(): number;
  /** Sends the heartbeat, and renews a lost session or number. */
  beat(): Promise<void>;
  /** Frees the claims of dead workers; returns the number of tasks. */
  evictDead(): Promise<number>;
  /** Whether the last look saw no other worker, dead or alive. */
  isOnlyOne(): boolean;
  /** Tasks of apparently dead workers, by stage. */
  heldByDead(): Promise<readonly { readonly stage: number; readonly tasks: number }[]>;
  /**
   * A claim failed to end: the next heartbeat starts again under a new number, which frees our claims and fences our
   * late writes.
   */
  giveUp(because: string): void;
  /** Starts again at once. */
  renew(because: string): Promise<void>;
  leave(): Promise<void>;
}

export interface MembershipParts {
  readonly db: Database;
  readonly store: Store;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly name: string;
  readonly stages: readonly { readonly number: number; readonly name: string }[];
  /** Silence after which a worker counts as hung. */
  readonly silenceMs: number;
  /** The database is exclusive to this process, so all listed workers are dead. */
  readonly alone: boolean;
  /** Called after freeing tasks, so all workers can claim at once. */
  readonly freed: () => void;
  /** Called after the end of a worker, which may have freed tasks, even without a notification from a broker. */
  readonly ended: () => void;
  /** Sets our clock to the server's. */
  readonly setClock?: (() => Promise<void>) | undefined;
}

const relockMs = 100;
/** Longest time from the moment of an eviction to its commit, for noticing evictions by other workers. */
const endingMs = 5_000;

export async function joinWorkers(parts: MembershipParts): Promise<Membership> {
  const { db, store, clock } = parts;
  const member: Member = { parts, state: stranger, session: null };
  await enlist(member);
  if (parts.alone) {
    const others = (await listLivingWorkers(db)).map(({ id }) => id).filter((id) => id !== numberOf(member));
    await step(member, { kind: "found-alone", others });
  }
  return {
    number: () => numberOf(member),
    async beat() {
      const living = await store.beat(line(member), numberOf(member), clock.now());
      await step(member, { kind: "beaten", living });
    },
    async evictDead() {
      const { ended, listed } = await store.findEndedWorkers(line(member), addMs(clock.now(), -endingMs));
      return await step(member, { kind: "looked", ended, listed });
    },
    isOnlyOne: () => member.state.onlyOne,
    async heldByDead() {
      const dead = await findDead(member, clock.now());
      const ids = dead.map((one) => one.id);
      return await claimsOf(db, ids);
    },
    giveUp: (because) => void move(member, { kind: "gave-up", because }),
    async renew(because) {
      move(member, { kind: "gave-up", because });
      await renew(member, because);
    },
    async leave() {
      move(member, { kind: "left" });
      await store.retireWorker(db, numberOf(member), clock.now());
      await leaveSingletons(db, numberOf(member));
      await member.session?.close();
    },
  };
}

/** A worker with the current state. */
interface Member {
  readonly parts: MembershipParts;
  state: MembershipState;
  session: Session | null;
}

const numberOf = ({ state }: Member): number => state.number as number;

/** Uses the session with the lock: liveness must not queue behind ordinary statements. */
function line({ parts: { db }, session }: Member): Database {
  return session?.alive && session.line ? { ...db, ...session.line } : db;
}

function move(member: Member, event: MembershipEvent): readonly MembershipEffect[] {
  const { state, effects } = stepMembership(member.state, event);
  member.state = state;
  return effects;
}

/** Moves the worker and executes the effects in their order; returns the number of freed tasks. */
async function step(member: Member, event: MembershipEvent): Promise<number> {
  let freed = 0;
  for (const effect of move(member, event)) freed += await execute(member, effect);
  return freed;
}

async function execute(member: Member, effect: MembershipEffect): Promise<number> {
  const { parts } = member;
  switch (effect.kind) {
    case "renew":
      await renew(member, effect.because);
      return 0;
    case "find-dead": {
      const now = parts.clock.now();
      const missing = await findDead(member, now);
      const facts = missing.map((one) => ({ id: one.id, silent: one.silent, gone: isGone(one) }));
      return await step(member, { kind: "missed", missing: facts, now });
    }
    case "evict":
      return await evictIfFree(member, effect);
    case "end-frozen":
      await parts.store.endFrozenSessions(line(member));
      return 0;
    case "tell-ended":
      parts.ended();
      return 0;
    case "tell-evicted": {
      const { worker, because, freed } = effect;
      parts.emit({ kind: "worker.evicted", worker, because, freed });
      if (freed > 0) parts.freed();
      return freed;
    }
    case "relock":
      relock(member, effect.worker);
      return 0;
  }
}

async function enlist(member: Member): Promise<void> {
  const { db, store, clock, emit, name, stages } = member.parts;
  const number = await store.nextWorkerNumber(db);
  move(member, { kind: "numbered", number });
  // With shared sessions, or a single session, only the heartbeat shows that we live.
  const vouches = db.kind === "postgres" && db.pooler !== "transaction";
  const session_locked = (await openSession(member, number)) && vouches;
  const row = { id: number, name, host: hostname(), pid: process.pid, session_locked };
  const numbers = stages.map((stage) => stage.number);
  await store.insertWorker(db, { ...row, stages: numbers, started_at: clock.now() });
  emit({ kind: "worker.started", worker: number, stages: stages.map((stage) => stage.name) });
  move(member, { kind: "enlisted", number });
}

async function openSession(member: Member, worker: number): Promise<boolean> {
  const { db } = member.parts;
  await member.session?.close().catch(() => undefined);
  const opened = await db.session();
  member.session = opened;
  const locked = await opened.lock(workerLockKey(db, worker));
  opened.onLost(() => void step(member, { kind: "session-lost", worker }));
  return locked;
}

/** The connection broke, not the process: the lock is taken again before an eviction. */
function relock(member: Member, worker: number): void {
  const lost = () => void step(member, { kind: "session-lost", worker });
  const again = () => member.parts.clock.after(relockMs, lost);
  // The server may not have noticed yet: until then our old session holds the lock.
  openSession(member, worker).then((locked) => locked || again(), again);
}

async function renew(member: Member, because: string): Promise<void> {
  const { emit, setClock } = member.parts;
  const worker = numberOf(member);
  emit({ kind: "worker.lost", worker, because });
  await evict(member, { worker, because }, { crashed: false });
  // The clock of a sleeping machine stood still: later heartbeats would stay in the past for ever.
  await setClock?.();
  await enlist(member);
}

const findDead = (member: Member, now: Date): Promise<Missing[]> => {
  const { store, silenceMs } = member.parts;
  const asked = { lapsed: addMs(now, -silenceMs), self: member.state.number };
  return store.findDeadWorkers(line(member), asked);
};

/** Null: ended already, or being ended by another process. */
async function evict(
  member: Member,
  { worker, because }: Pick<Evicting, "worker" | "because">,
  how: { readonly crashed: boolean } & Partial<Pick<Evicting, "together" | "skip">>,
): Promise<number | null> {
  const { store, clock } = member.parts;
  const freed = await store.evictWorker(line(member), { worker, because, now: clock.now(), ...how });
  return freed === null ? null : await step(member, { kind: "evicted", worker, because, freed });
}

/** A locked worker is tried again the next time. */
async function evictIfFree(member: Member, { worker, because, ...how }: Evicting): Promise<number> {
  try {
    const freed = await evict(member, { worker, because }, { crashed: true, ...how });
    if (freed !== null) return freed;
  } catch (error) {
    if (!isLockedNow(error)) throw error;
  }
  return await step(member, { kind: "eviction-blocked" });
}

/** The process is gone from this machine: with the session lost too, there is no need to wait. */
function isGone({ host, pid }: { readonly host: string; readonly pid: number }): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as { code?: unknown }).code === "ESRCH";
  }
}
