import type { Clock } from "../../engine/src/run/clock.ts";
import type { Chance } from "./chance.ts";
import type { Owner, Scheduler } from "./scheduler.ts";

/** A call sent by a process, not yet at the database. */
export interface OnItsWay {
  /** Can arrive after its process died. */
  readonly alone: boolean;
  readonly commits: boolean;
  drop(): void;
  hurry(): void;
}

/** The most harmful moments for a fault: while working, with a commit on the way, or with a commit unanswered. */
export type Moment = "working" | "sent" | "done";

/** A process of the fleet or a client, with a clock of its own, possibly wrong. */
export interface Process extends Owner {
  readonly clock: Clock;
  /** Error of the process's clock. */
  offsetMs: number;
  readonly onItsWay: Set<OnItsWay>;
  /** Commits in effect, with answers still on the way. */
  unanswered: number;
  hasHung: boolean;
  /** Fault to apply at the next moment of the kind. */
  doom: { readonly at: Moment; readonly fall: () => void } | null;
  /** Called at the process's death: closes its connections. */
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

/** Applies a pending fault at its moment. */
export function meetDoom(process: Process, moment: Moment): void {
  const { doom } = process;
  if (doom?.at !== moment) return;
  process.doom = null;
  doom.fall();
}

/** True time, unknown to every process of the simulation. */
export const trueTime = (scheduler: Scheduler): Date => new Date(Math.floor(epoch + scheduler.nowMs()));

/**
 * Ends a process at once. No further answer arrives; calls already sent may still take effect, or not. A transaction
 * arrives now or never: its statements came from the process, one by one.
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
