import type { Receipt } from "../dispatch/dispatch.ts";
import type { Claim } from "../store/claims.ts";
import type { Clock } from "./clock.ts";
import type { Lane } from "./lane.ts";
import type { SharedPoll } from "./outlook.ts";

/** Keeps a lane busy: claims while there is room and due work, then waits for a notification, the clock, or room. */
export interface Pump {
  /**
   * Looks again. A receipt is acknowledged after the commit of the resulting claim, or when nothing was left to
   * claim.
   */
  wake(receipt?: Receipt): void;
  /** Reserves room for documents being accepted, if no earlier task waits. */
  reserve(tasks: number): Reservation | null;
  /** Claims nothing more; resolves after the commit of all claims. */
  stop(): Promise<void>;
  readonly busy: number;
}

/** A promise to start documents at once, if they come with a claim. */
export interface Reservation {
  begin(claim: Claim): void;
  /** Cancels the reservation; `unsure`: the claim may exist, because the answer was lost. */
  drop(unsure: boolean): void;
}

export interface PumpParts {
  readonly clock: Clock;
  /** Poll interval. */
  readonly pollMs: number;
  /** The poll of all lanes together; without it, the lane looks for itself. */
  readonly poll?: SharedPoll;
  readonly failed: (error: unknown) => void;
  /** A claim failed to end and is still ours. */
  readonly abandoned: (error: unknown) => void;
  /** A notification led to nothing: another worker has, or had, the work. */
  readonly stale?: (notices: number) => void;
}

/** Short delay after a first failure: most often one connection broke, not the database. */
const failedMs = 50;

export function startPump(lane: Lane, parts: PumpParts): Pump {
  const { clock, pollMs, poll, failed, abandoned, stale } = parts;
  let stopped = false;
  let news = false;
  let idling = false;
  let ring: () => void = () => undefined;
  let failures = 0;
  const claims = new Set<Promise<void>>();
  const heard: Receipt[] = [];

  const wake = (receipt?: Receipt) => {
    if (receipt) heard.push(receipt);
    news = true;
    ring();
  };
  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(ms, () => ring());
      ring = () => {
        cancel();
        ring = () => undefined;
        resolve();
      };
      if (news || stopped) ring();
    });
  const start = (claim: Claim, receipts: readonly Receipt[]) => {
    const running: Promise<void> = lane
      .process(claim)
      .then(
        () => {
          for (const one of receipts) one.done();
        },
        (error) => {
          for (const one of receipts) one.again();
          abandoned(error);
        },
      )
      .finally(() => {
        claims.delete(running);
        wake();
      });
    claims.add(running);
  };
  async function idle(): Promise<void> {
    if (lane.room() === 0) return await rest(pollMs);
    let due = await lane.nextDue();
    for (;;) {
      const dueMs = due ? due.getTime() - clock.now().getTime() : pollMs;
      const restMs = Math.min(dueMs, poll?.untilNextMs() ?? pollMs);
      idling = !news;
      await rest(Math.max(1, restMs));
      idling = false;
      const isDue = due !== null && due <= clock.now();
      if (!poll || news || stopped || isDue || lane.room() === 0 || lane.isInDoubt()) return;
      const seen = await poll.of(lane.plan.number);
      if (!seen || seen.due || news) return;
      due = seen.next;
    }
  }
  function reserve(tasks: number): Reservation | null {
    if (!idling || news || stopped || claims.size > 0 || !lane.reserve(tasks)) return null;
    return {
      begin(claim) {
        lane.redeem(tasks, claim);
        start(claim, []);
      },
      drop(unsure) {
        lane.redeem(tasks, null);
        if (unsure) lane.doubt();
      },
    };
  }
  async function run(): Promise<void> {
    while (!stopped) {
      news = false;
      const receipts = lane.room() > 0 ? heard.splice(0) : [];
      try {
        const claim = lane.room() > 0 ? await lane.take() : null;
        failures = 0;
        if (claim) start(claim, receipts);
        else {
          // Claimed elsewhere, or not claimable now: the database knows, and the broker may forget.
          for (const one of receipts) one.done();
          if (receipts.length > 0) stale?.(receipts.length);
          if (!news) await idle();
        }
      } catch (error) {
        heard.unshift(...receipts);
        failed(error);
        await rest(Math.min(failedMs * 2 ** failures++, pollMs));
      }
    }
  }
  lane.onRoom = wake;
  const running = run();
  return {
    wake,
    reserve,
    async stop() {
      stopped = true;
      ring();
      await running;
      while (claims.size > 0) await Promise.all(claims);
    },
    get busy() {
      return claims.size;
    },
  };
}
