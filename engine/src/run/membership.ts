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

/** This process as one of the workers: its number, its life signs, and its eye on the others. */
export interface Membership {
  /** Changes when we were declared dead and started again. */
  number(): number;
  /** Says that we live, and renews our session or our number when they were lost. */
  beat(): Promise<void>;
  /** Frees what dead workers held; returns how many tasks. */
  evictDead(): Promise<number>;
  /** What workers hold that seem dead, by stage. */
  heldByDead(): Promise<readonly { readonly stage: number; readonly tasks: number }[]>;
  /**
   * A claim could not be brought to its end: with the next beat we start again under a new number, so that what we
   * hold is freed and our late writes are refused.
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
  /** How long a worker may be silent before it counts as hung. */
  readonly silenceMs: number;
  /** Nobody else can have this database open, so whoever is still in it is dead. */
  readonly alone: boolean;
  /** We freed something: everybody can take it up at once. */
  readonly freed: () => void;
  /** Somebody ended, so there may be something to take up, and no news of it while the broker is away. */
  readonly ended: () => void;
  /** Sets our clock by the server's. */
  readonly setClock?: (() => Promise<void>) | undefined;
}

/** How long a session must be missing before its worker counts as dead: the living come back sooner. */
const missingMs = 500;
const relockMs = 100;
/** How long an eviction may take from its moment to its commit, for others to notice it. */
const endingMs = 5_000;

/** Its process is not there any more, as far as this machine can tell: who has lost its session too need not be waited for. */
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
  let session: Session | null = null;
  let left = false;
  let doomed: string | null = null;
  /** The number that our session says lives: from the moment it is ours, before others can see it. */
  let vouched: number | null = null;
  let number = await enlist();
  if (alone) {
    const dead = (await listLivingWorkers(db)).filter(({ id }) => id !== number);
    for (const { id } of dead)
      await evict(id, "its process ended", { crashed: true, together: dead.length > 1 });
  }

  /** On the session that vouches for us: whether somebody lives must not be told or asked behind work that queues. */
  function line(): Database {
    return session?.alive && session.line ? { ...db, ...session.line } : db;
  }

  async function enlist(): Promise<number> {
    const next = await store.nextWorkerNumber(db);
    vouched = next;
    // Where sessions are shared or there is one only, the heartbeat alone says that we live.
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
  /** The connection broke, not we: the lock is taken again before anybody takes us for dead. */
  function relock(worker: number): void {
    if (left || worker !== vouched) return;
    const again = () => clock.after(relockMs, () => relock(worker));
    // The server may not have noticed yet: until then the lock is with our old session, and free after that.
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
    // Remembered until it is done: if the connection breaks in the middle, the next heartbeat goes on with it.
    doomed = because;
    emit({ kind: "worker.lost", worker: number, because });
    await evict(number, because, { crashed: false });
    // A machine that slept has a clock that stood still meanwhile: its life signs would come from the past for ever.
    await parts.setClock?.();
    number = await enlist();
    doomed = null;
  }
  const findDead = (now: Date) =>
    store.findDeadWorkers(line(), { lapsed: addMs(now, -silenceMs), self: number });
  async function noticeEnded(now: Date): Promise<void> {
    const ended = await store.findEndedWorkers(line(), addMs(now, -endingMs));
    if (ended.some((id) => !lastEnded.includes(id))) parts.ended();
    lastEnded = ended;
  }
  async function evictDead(): Promise<number> {
    const now = clock.now();
    const missing = await findDead(now);
    for (const id of missingSince.keys()) if (!missing.some((one) => one.id === id)) missingSince.delete(id);
    const due = missing.filter((one) => {
      const since = missingSince.get(one.id) ?? now;
      missingSince.set(one.id, since);
      return one.silent || now.getTime() - since.getTime() >= missingMs || isGone(one);
    });
    const freed = await evictAll(due);
    await noticeEnded(now);
    return freed;
  }
  /** Who hangs comes last: it may have locked what it holds, and the others are not to wait for that. */
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
  /** What is locked now is looked at again the next time. */
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
