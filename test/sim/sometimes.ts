import type { Signal } from "../../engine/src/decide/signal.ts";
import { countSituations, type Sometimes } from "../support/sometimes.ts";

export const hardSituations = [
  // The network and the database
  "a worker crashes after a commit and before its answer",
  "a worker crashes with a commit on its way, and nothing comes of it",
  "the answer to a commit is lost",
  "a statement takes effect after its connection was cut",
  "two transactions are in each other's way",
  "the database cannot be reached",
  "news is lost",
  "news comes twice",
  // Workers
  "a worker is taken over because its session ended",
  "a worker is taken over because its heartbeat stopped",
  "a hung worker wakes up and was declared dead",
  "a commit is refused by the fence",
  "a worker that was declared dead starts again",
  "a session is lost while its worker lives",
  "a worker stops in good order",
  "a worker's clock jumps",
  // Documents and services
  "a breaker opens",
  "a breaker closes",
  "a task is held by a breaker",
  "a batch is halved",
  "a stream is interrupted between two parts",
  "a removal is interrupted half way",
  "a document is begun with in the moment it is accepted",
  "a document changes while it is worked on",
  "a document is deleted while it is worked on",
  "a document kills its workers until it is dead",
  "a document uses up its attempts",
  "a document is refused for good",
  "an event is told twice",
  "the sweep finds what was forgotten",
  // People
  "a policy changes while tasks wait for their next try",
  "a stage is paused while it is worked on",
  "a document is cancelled while it is worked on",
  "a dead letter is requeued",
  "a worker is freed by hand",
] as const;

export const makeSometimes = (): Sometimes => countSituations(hardSituations);

/** Enough runs to meet every situation; fewer may miss some. */
export const enoughRuns = 500;

export const neverMet = (counts: Readonly<Record<string, number>>): string[] =>
  hardSituations.filter((what) => !counts[what]);

/** The situation shown by a signal. */
export function noticeSignal(signal: Signal, sometimes: Sometimes): void {
  const what = situationOf(signal);
  if (what) sometimes.add(what);
}

function situationOf(signal: Signal): (typeof hardSituations)[number] | null {
  switch (signal.kind) {
    case "worker.evicted":
      if (signal.freed === 0) return null;
      if (signal.because === "its session ended") return "a worker is taken over because its session ended";
      return signal.because === "its heartbeat stopped"
        ? "a worker is taken over because its heartbeat stopped"
        : null;
    case "worker.lost":
      return signal.because === "it was declared dead"
        ? "a worker that was declared dead starts again"
        : null;
    case "worker.stopped":
      return "a worker stops in good order";
    case "commit.refused":
      return "a commit is refused by the fence";
    case "breaker.opened":
      return "a breaker opens";
    case "breaker.closed":
      return "a breaker closes";
    case "task.held":
      return "a task is held by a breaker";
    case "batch.halved":
      return "a batch is halved";
    case "sweep.finished":
      return signal.owed > 0 ? "the sweep finds what was forgotten" : null;
    default:
      return null;
  }
}
