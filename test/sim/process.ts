import type { Clock } from "../../engine/src/run/clock.ts";
import type { Chance } from "./chance.ts";
import type { Owner, Scheduler } from "./scheduler.ts";

/** A call that has left a process and has not arrived at the database yet. */
export interface OnItsWay {
  /** Whether it can arrive without its process. */
  readonly alone: boolean;
  readonly commits: boolean;
  drop(): void;
  hurry(): void;
}

/** When a fault does most harm: in the middle of work, with a commit on its way, or with one that is not answered yet. */
export type Moment = "working" | "sent" | "done";

/** A process of the fleet, or somebody's client: with a clock of its own, which may be wrong. */
export interface Process extends Owner {
  readonly clock: Clock;
  /** How far its clock is ahead of the true time. */
  offsetMs: number;
  readonly onItsWay: Set<OnItsWay>;
  /** Commits that took effect and whose answers are not back yet. */
  unanswered: number;
  hasHung: boolean;
  /** What befalls it at the next moment of that kind. */
  doom: { readonly at: Moment; readonly fall: () => void } | null;
  /** Called when it dies: its connections end with it. */
  readonly atDeath: (() => void)[];
}

const epoch = Date.parse("2026-01-01T00:00:00.000Z");

export function makeProcess(name: string, scheduler: Scheduler, chance: Chance): Process {
  const process: Process = {
    name,
    state: "living",
    offsetMs: 0,
    onItsWay: new Set(),
    unanswered: 0,
    hasHung: false,
    doom: null,
    atDeath: [],
    clock: {
      now: () => new Date(Math.floor(epoch + scheduler.nowMs() + process.offsetMs)),
      after(delayMs, ring) {
        const timer = scheduler.after(delayMs, process, ring);
        return () => {
          timer.off = true;
        };
      },
      random: chance.random,
      uuid: () => {
        const digits = () =>
          Math.floor(chance.random() * 0x1_0000_0000)
            .toString(16)
            .padStart(8, "0");
        const [a, b, c, d] = [digits(), digits(), digits(), digits()];
        return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${d}`;
      },
    },
  };
  return process;
}

/** Such a moment has come for a process. */
export function meetDoom(process: Process, moment: Moment): void {
  const { doom } = process;
  if (doom?.at !== moment) return;
  process.doom = null;
  doom.fall();
}

/** True time, as nobody in the simulation knows it. */
export const trueTime = (scheduler: Scheduler): Date => new Date(Math.floor(epoch + scheduler.nowMs()));

/**
 * Ends a process at once. No answer reaches it any more; what it has sent may still arrive, or not. A transaction arrives
 * now or never: its statements came from the process, one after another.
 */
export function kill(process: Process, chance: Chance): { readonly kept: number; readonly dropped: number } {
  process.state = "dead";
  let [kept, dropped] = [0, 0];
  for (const call of process.onItsWay) {
    if (chance.happens(0.5)) {
      call.drop();
      if (call.commits) dropped += 1;
    } else {
      if (!call.alone) call.hurry();
      if (call.commits) kept += 1;
    }
  }
  process.onItsWay.clear();
  for (const end of process.atDeath.splice(0)) end();
  return { kept: kept + process.unanswered, dropped };
}
