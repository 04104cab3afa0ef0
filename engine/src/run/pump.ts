import type { Claim } from "../store/claims.ts";
import type { Clock } from "./clock.ts";
import type { Lane } from "./lane.ts";

/** Keeps a lane busy: claims as long as there is room and something due, then waits for news, the clock, or room. */
export interface Pump {
  wake(): void;
  /** Claims nothing more; resolves when what is in hand has been committed. */
  stop(): Promise<void>;
  readonly busy: number;
}

export interface PumpParts {
  readonly clock: Clock;
  /** How long to wait at most before looking again. */
  readonly pollMs: number;
  readonly failed: (error: unknown) => void;
  /** A claim could not be brought to its end and is still in our hands. */
  readonly abandoned: (error: unknown) => void;
}

export function startPump(lane: Lane, { clock, pollMs, failed, abandoned }: PumpParts): Pump {
  let stopped = false;
  let news = false;
  let ring: () => void = () => undefined;
  const claims = new Set<Promise<void>>();

  const wake = () => {
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
  const start = (claim: Claim) => {
    const running: Promise<void> = lane
      .process(claim)
      .catch(abandoned)
      .finally(() => {
        claims.delete(running);
        wake();
      });
    claims.add(running);
  };
  async function idle(): Promise<void> {
    if (lane.room() === 0) return await rest(pollMs);
    const due = await lane.nextDue();
    const dueMs = due ? due.getTime() - clock.now().getTime() : pollMs;
    await rest(Math.max(1, Math.min(dueMs, pollMs)));
  }
  async function run(): Promise<void> {
    while (!stopped) {
      news = false;
      try {
        const claim = lane.room() > 0 ? await lane.take() : null;
        if (claim) start(claim);
        else if (!news) await idle();
      } catch (error) {
        failed(error);
        await rest(pollMs);
      }
    }
  }
  lane.onRoom = wake;
  const running = run();
  return {
    wake,
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
