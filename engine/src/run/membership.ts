import { hostname } from "node:os";
import type { Emit } from "../decide/signal.ts";
import type { Database, Session } from "../store/database.ts";
import { leaveSingletons } from "../store/singletons.ts";
import type { Store } from "../store/store.ts";
import {
  claimsOf,
  type Eviction,
  isLockedNow,
  listLivingWorkers,
  type Missing,
  workerLockKey,
} from "../store/workers.ts";
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

/** Time without a session before a worker counts as dead: living workers reconnect sooner. */
const missingMs = 500;
const relockMs = 100;
/** Longest time from the moment of an eviction to its commit, for noticing evictions by other workers. */
const endingMs = 5_000;

/** The process is gone from this machine: with its session lost too, there is no need to wait. */
function isGone({ host, pid }: { readonly host: string; readonly pid: number }): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as { code?: unknown }).code === "ESRCH";
  }
}

export async function joinWorkers(parts: MembershipParts): Promise<Membership> {
  const { db, store, clock, emit, silenceMs, alone } = parts;
  const missingSince = new Map<number, Date>();
  let lastEnded: readonly number[] = [];
  let onlyOne = false;
  let session: Session | null = null;
  let left = false;
  let doomed: string | null = null;
  /** The number covered by our session: from the moment of assignment, before it is visible to other workers. */
  let vouched: number | null = null;
  let number = await enlist();
  if (alone) {
    const dead = (await listLivingWorkers(db)).filter(({ id }) => id !== number);
    for (const { id } of dead)
      await evict(id, "its process ended", { crashed: true, together: dead.length > 1 });
  }

  /** Uses the session with the lock: liveness must not queue behind ordinary statements. */
  function line(): Database {
    return session?.alive && session.line ? { ...db, ...session.line } : db;
  }

  async function enlist(): Promise<number> {
    const next = await store.nextWorkerNumber(db);
    vouched = next;
    // With shared sessions, or a single session, only the heartbeat shows that we live.
    const vouches = db.kind === "postgres" && db.pooler !== "transaction";
    const locked = (await openSession(next)) && vouches;
    const stages = parts.stages.map((stage) => stage.number);
    const row = {
      id: next,
      name: parts.name,
      host: hostname(),
      pid: process.pid,
      stages,
      session_locked: locked,
    };
    await store.insertWorker(db, { ...row, started_at: clock.now() });
    emit({ kind: "worker.started", worker: next, stages: parts.stages.map((stage) => stage.name) });
    return next;
  }
  async function openSession(worker: number): Promise<boolean> {
    await session?.close().catch(() => undefined);
    const opened = await db.session();
    session = opened;
    const locked = await opened.lock(workerLockKey(db, worker));
    opened.onLost(() => relock(worker));
    return locked;
  }
  /** The connection broke, not the process: the lock is taken again before an eviction. */
  function relock(worker: number): void {
    if (left || worker !== vouched) return;
    const again = () => clock.after(relockMs, () => relock(worker));
    // The server may not have noticed yet: until then our old session holds the lock.
    openSession(worker).then((locked) => locked || again(), again);
  }
  type How = Pick<Eviction, "crashed" | "skip" | "together">;
  async function evict(worker: number, because: string, how: How): Promise<number | null> {
    const freed = await store.evictWorker(line(), { worker, because, now: clock.now(), ...how });
    if (freed === null) return null;
    missingSince.delete(worker);
    emit({ kind: "worker.evicted", worker, because, freed });
    if (freed > 0) parts.freed();
    return freed;
  }
  async function renew(because: string): Promise<void> {
    // Remembered until done: after a broken connection the next heartbeat continues.
    doomed = because;
    emit({ kind: "worker.lost", worker: number, because });
    await evict(number, because, { crashed: false });
    // The clock of a sleeping machine stood still: later heartbeats would stay in the past for ever.
    await parts.setClock?.();
    number = await enlist();
    doomed = null;
  }
  const findDead = (now: Date) =>
    store.findDeadWorkers(line(), { lapsed: addMs(now, -silenceMs), self: number });
  async function noticeEnded(now: Date): Promise<void> {
    const { ended, listed } = await store.findEndedWorkers(line(), addMs(now, -endingMs));
    if (ended.some((id) => !lastEnded.includes(id))) parts.ended();
    lastEnded = ended;
    onlyOne = listed <= 1;
  }
  async function evictDead(): Promise<number> {
    const now = clock.now();
    await noticeEnded(now);
    // Our own row is the only one: there is no other worker that could be dead.
    if (onlyOne) return 0;
    const missing = await findDead(now);
    for (const id of missingSince.keys()) if (!missing.some((one) => one.id === id)) missingSince.delete(id);
    const due = missing.filter((one) => {
      const since = missingSince.get(one.id) ?? now;
      missingSince.set(one.id, since);
      return one.silent || now.getTime() - since.getTime() >= missingMs || isGone(one);
    });
    return await evictAll(due);
  }
  /** Hung workers come last: they may have locked their claims, and the rest must not wait. */
  async function evictAll(due: readonly Missing[]): Promise<number> {
    let freed = 0;
    const together = due.length > 1;
    for (const { id } of due.filter((one) => !one.silent))
      freed += await evictIfFree(id, "its session ended", together);
    const hanging = due.filter((one) => one.silent);
    if (hanging.length > 0) await store.endFrozenSessions(line());
    for (const { id } of hanging) freed += await evictIfFree(id, "its heartbeat stopped", together);
    return freed;
  }
  /** A locked worker is tried again the next time. */
  async function evictIfFree(worker: number, because: string, together: boolean): Promise<number> {
    try {
      const freed = await evict(worker, because, { crashed: true, skip: true, together });
      if (freed !== null) return freed;
    } catch (error) {
      if (!isLockedNow(error)) throw error;
    }
    await store.endFrozenSessions(line());
    return 0;
  }
  return {
    number: () => number,
    async beat() {
      const living = await store.beat(line(), number, clock.now());
      if (doomed !== null || !living) await renew(doomed ?? "it was declared dead");
    },
    evictDead,
    isOnlyOne: () => onlyOne,
    async heldByDead() {
      const dead = await findDead(clock.now());
      return await claimsOf(
        db,
        dead.map((one) => one.id),
      );
    },
    giveUp(because) {
      doomed = because;
    },
    renew,
    async leave() {
      left = true;
      await store.retireWorker(db, number, clock.now());
      await leaveSingletons(db, number);
      await session?.close();
    },
  };
}
