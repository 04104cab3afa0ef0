import { isDue, opening } from "./eligible.ts";
import type { Fault } from "./fault.ts";
import { type ResultExplained, resultOf } from "./result-facts.ts";
import { attemptsAllowed, slowTail } from "./settle.ts";
import type {
  ClaimFacts,
  DeadFacts,
  DoneFacts,
  Facts,
  MemberFacts,
  StageState,
  TaskFacts,
  VariantFacts,
} from "./stage-state.ts";
import { suggestedFix } from "./suggested-fixes.ts";
import { shownStatus, type TaskState } from "./task.ts";

/** A document or group at every stage: where, why, and what happens next and when. */
export interface Explanation {
  readonly subject: number;
  readonly collection: string | null;
  readonly id: string;
  /** Summary in one sentence: a stage that needs a person, else the first stage not done, else all done. */
  readonly sentence: string;
  readonly stages: readonly StageExplanation[];
}

/** State of one stage of a document, with its reason and next step. */
export interface StageExplanation {
  readonly stage: string;
  readonly group: string | null;
  readonly state: TaskState;
  readonly status: ReturnType<typeof shownStatus>;
  readonly attemptCount: number;
  readonly lastAttemptTime: Date | null;
  /** Attempts allowed by the policy. */
  readonly limit: number;
  readonly because: Because;
  /** Reason and next step, for people. */
  readonly sentence: string;
  readonly next: Next;
  readonly heldBy: ClaimFacts | null;
  readonly fault: Fault | null;
  /** Advice for a person; null without a fault. */
  readonly fix: string | null;
  readonly members: MemberFacts | null;
  /** The stored result: how it was made, and a finding if its stage did not expect it. Null: none. */
  readonly result: ResultExplained | null;
  /** Changed parts of the completion marker; empty: the result is fresh, or missing. */
  readonly stale: readonly StalePart[];
  /** Variant of the stored result, and of the newest code. */
  readonly made: VariantFacts | null;
  readonly newest: VariantFacts | null;
  /** A needed dependency that is down, besides any other reason. */
  readonly breaker: string | null;
  readonly deadLetter: number | null;
  readonly retrySuggested: boolean;
}

export type Because =
  | "deleted"
  | "running"
  | "paused"
  | "no worker"
  | "dependency"
  | "backoff"
  | "members"
  | "quiet"
  | "scheduled"
  | "later"
  | "due"
  | "dead"
  | "settled"
  | "stale"
  | "unexpected"
  | "done"
  | "forgotten";

/** Next step: at a time, or after an act of a named party; both null only at the end. */
export interface Next {
  readonly what: string;
  readonly at: Date | null;
  readonly waitsFor: string | null;
}

export type StalePart = "input" | "version" | "configuration" | "model" | "asked for";

/** Explains for each stage where a document is, why, and what happens next and when. Pure and total. */
export function explain(facts: Facts, now: Date): Explanation {
  const stages = facts.stages.map((standing) => explainStage(standing, facts, now));
  const { subject, collection, id } = facts;
  return { subject, collection, id, stages, sentence: summary(facts, stages) };
}

function summary(facts: Facts, stages: readonly StageExplanation[]): string {
  if (facts.goneAt) return `It was deleted at ${show(facts.goneAt)} and waits to be removed.`;
  const open = stages.find((one) => one.state === "pending" || one.state === "none");
  const dead = stages.find((one) => one.state === "dead");
  const needsPerson = stages.find((one) => one.because === "dead");
  const shown = needsPerson ?? open ?? dead;
  if (shown) return `${shown.stage}: ${shown.sentence}`;
  if (stages.length === 0) return "No stage works on it.";
  const unexpected = stages.find((one) => one.because === "unexpected");
  if (unexpected) return `Everything is done; ${unexpected.stage} is unexpected: ${unexpected.sentence}`;
  const stale = stages.find((one) => one.stale.length > 0);
  return stale ? `Everything is done; ${stale.stage} is stale: ${stale.sentence}` : "Everything is done.";
}

interface Story {
  readonly because: Because;
  readonly why: string;
  readonly next: Next;
}

function explainStage(standing: StageState, { goneAt, fixes }: Facts, now: Date): StageExplanation {
  const { task, claim, done, dead, newest } = standing;
  const state: TaskState = task ? "pending" : dead ? "dead" : done ? "done" : "none";
  const stale = done && !task && !dead ? staleParts(standing, done) : [];
  const { because, why, next } = tell(standing, state, stale, goneAt, now);
  const fault = task ? task.fault : (dead?.fault ?? null);
  return {
    stage: standing.stage,
    group: standing.group,
    state,
    status: shownStatus(state, task?.attempts ?? 0),
    attemptCount: attemptCount(standing),
    lastAttemptTime: lastAttemptTime(standing),
    limit: limitOf(standing),
    because,
    sentence: `${why} ${next.what}`,
    next,
    heldBy: task ? claim : null,
    fault,
    fix: fault ? suggestedFix(fault, fixes) : null,
    members: standing.members,
    result: done && resultOf(done),
    stale,
    made: done?.variant ?? null,
    newest,
    breaker: standing.opening.dependencies.find((one) => one.open)?.name ?? null,
    deadLetter: dead?.id ?? null,
    retrySuggested: dead !== null && !task && !dead.closed && !sameVariant(dead.variant, newest),
  };
}

function tell(
  standing: StageState,
  state: TaskState,
  stale: readonly StalePart[],
  goneAt: Date | null,
  now: Date,
): Story {
  if (goneAt) {
    return {
      because: "deleted",
      why: `The document was deleted at ${show(goneAt)}.`,
      next: { what: "It is removed with all that came from it.", at: null, waitsFor: "the reaper" },
    };
  }
  const { task, dead, done } = standing;
  if (state === "pending" && task) return tellPending(standing, task, now);
  if (state === "dead" && dead) return tellDead(standing, dead);
  if (state === "done" && done) return tellDone(standing, done, stale);
  return {
    because: "forgotten",
    why: "Nobody has recorded that this stage is owed.",
    next: { what: "The next sweep owes it.", at: null, waitsFor: "the next sweep" },
  };
}

/** The first reason for waiting; a reason that needs a person comes first. */
function tellPending(standing: StageState, task: TaskFacts, now: Date): Story {
  const { claim, opening: facts } = standing;
  if (claim) return tellRunning(claim, standing.workers);
  const gate = opening(facts, now);
  if (gate.kind === "shut" && gate.because === "paused") {
    const reason = facts.paused?.reason;
    const why = `The stage was paused by ${gate.name}${facts.paused ? ` at ${show(facts.paused.at)}` : ""}`;
    return {
      because: "paused",
      why: `${why}${reason ? `: ${reason}` : ""}.`,
      next: { what: "It goes on when somebody resumes the stage.", at: null, waitsFor: gate.name },
    };
  }
  if (standing.workers === 0) {
    return {
      because: "no worker",
      why: "No living worker has code for this stage.",
      next: { what: "It goes on when one is started.", at: null, waitsFor: "a worker for this stage" },
    };
  }
  if (gate.kind === "shut") {
    const at = latest(task.readyAt, gate.until, now);
    return {
      because: "dependency",
      why: `It is held because "${gate.name}" is down${since(standing, gate.name)}; this costs it no attempt.`,
      next: { what: `"${gate.name}" is tried again at ${show(at)}.`, at, waitsFor: gate.name },
    };
  }
  if (!isDue({ readyAt: task.readyAt, claimed: false }, now)) return tellLater(standing, task);
  return {
    because: "due",
    why: `It is due since ${show(task.readyAt)}${task.reason ? ` (${task.reason})` : ""}.`,
    next: {
      what: pastLimit(standing, task)
        ? "It has used up its tries: the next worker that looks at it lets it die."
        : "A worker takes it as soon as it has room.",
      at: now,
      waitsFor: "a free worker",
    },
  };
}

const since = ({ opening: { dependencies } }: StageState, name: string): string => {
  const found = dependencies.find((one) => one.name === name);
  return found ? ` since ${show(found.since)}` : "";
};

const tellRunning = ({ worker, name, since }: ClaimFacts, workers: number): Story =>
  name === null
    ? {
        because: workers === 0 ? "no worker" : "running",
        why: `Worker ${worker}, which is not there any more, has held it since ${show(since)}.`,
        next:
          workers === 0
            ? { what: "It goes on when a worker is started.", at: null, waitsFor: "a worker for this stage" }
            : { what: "It is freed for another one.", at: null, waitsFor: "the other workers" },
      }
    : {
        because: "running",
        why: `It is being worked on by worker ${worker} (${name}) since ${show(since)}.`,
        next: {
          what: "It is done, tried again or dead when that attempt ends; should the worker die, another takes over.",
          at: null,
          waitsFor: `worker ${worker}`,
        },
      };

function tellLater(standing: StageState, task: TaskFacts): Story {
  const at = task.readyAt;
  const next = (what: string): Next => ({ what: `${what} at ${show(at)}.`, at, waitsFor: null });
  switch (task.reason) {
    case "backoff": {
      const fault = task.fault ? ` with ${task.fault.code} (${task.fault.kind})` : "";
      return {
        because: "backoff",
        why: `Attempt ${attemptCount(standing)} of ${limitOf(standing)} failed${fault}.`,
        next: { ...next("It is tried again"), what: `Next try at ${show(at)}${tailOf(standing, task)}.` },
      };
    }
    case "after": {
      const { members } = standing;
      return {
        because: "members",
        why: members ? waitsForMembers(members) : "It waits for members that have not passed earlier stages.",
        next: { ...next("It is looked at again"), waitsFor: members?.first[0] ?? null },
      };
    }
    case "quiet":
      return {
        because: "quiet",
        why: "The group changed a moment ago and has to be quiet first.",
        next: next("It is worked on, unless it changes again,"),
      };
    case "upstream":
      return {
        because: "quiet",
        why: "Earlier stages are still working on documents of the same request, which may join the group.",
        next: next("It is looked at again"),
      };
    case "scheduled":
      return { because: "scheduled", why: "An operator set the time.", next: next("It is worked on") };
    default:
      return {
        because: "later",
        why: task.reason ? `It was put off (${task.reason}).` : "It was put off.",
        next: next("It is worked on"),
      };
  }
}

function tailOf({ policies }: StageState, { fault, attempts }: TaskFacts): string {
  const slow = fault ? slowTail(policies, fault.kind, attempts) : null;
  return slow ? ` (slow tail ${slow.retry} of ${slow.retries})` : "";
}

function waitsForMembers({ total, pending, dead, first }: MemberFacts): string {
  const names = first.length > 0 ? ` (${first.join(", ")}${pending + dead > first.length ? ", …" : ""})` : "";
  if (pending > 0)
    return `It waits for ${pending} of ${total} members that have not passed earlier stages${names}.`;
  if (dead > 0)
    return `${dead} of ${total} members died in earlier stages${names}: requeue their dead letters.`;
  return "Its members have passed the earlier stages by now.";
}

function tellDead({ newest }: StageState, dead: DeadFacts): Story {
  const cause = `${dead.fault.code}: ${firstLine(dead.fault.message)}`;
  const why = `It died at ${show(dead.diedAt)} (${dead.reason}) of ${cause}`;
  if (dead.closed) {
    const { as, by, at } = dead.closed;
    return {
      because: "settled",
      why: `${ended(why)} It was ${as} by ${by} at ${show(at)}.`,
      next: {
        what: "Nothing follows, unless its input changes or somebody requeues it.",
        at: null,
        waitsFor: null,
      },
    };
  }
  const newer = sameVariant(dead.variant, newest) ? "" : " There is newer code since: requeueing may help.";
  return {
    because: "dead",
    why: `${ended(why)}${newer}`,
    next: {
      what: "It waits for a person to requeue, resolve or purge it, or for its input to change.",
      at: null,
      waitsFor: "an operator",
    },
  };
}

function tellDone({ runsAhead }: StageState, done: DoneFacts, stale: readonly StalePart[]): Story {
  const ahead = runsAhead ? " The stage runs ahead: as a rule in the commit that makes its input." : "";
  const why = `It was done at ${show(done.finishedAt)} and yielded ${count(done.outputs, "document")}.${ahead}`;
  const unexpected =
    done.finding === null ? "" : ` Its stage did not expect this result: ${ended(done.finding)}`;
  if (stale.length === 0 && unexpected) {
    const what = "It stays until its input changes or somebody reprocesses it.";
    return {
      because: "unexpected",
      why: `${why}${unexpected}`,
      next: { what, at: null, waitsFor: "an operator" },
    };
  }
  if (stale.length === 0) {
    return { because: "done", why, next: { what: "Nothing is left to do.", at: null, waitsFor: null } };
  }
  const others = stale.map((part) => (part === "asked for" ? "a person's wish" : `its ${part}`)).join(", ");
  return {
    because: "stale",
    why: `${why}${unexpected} By now ${others} would make another result.`,
    next: { what: "It is made anew when somebody reprocesses it.", at: null, waitsFor: "an operator" },
  };
}

function staleParts({ newest, inputHash }: StageState, done: DoneFacts): StalePart[] {
  const { variant } = done;
  const differs = (part: keyof VariantFacts) => variant && newest && variant[part] !== newest[part];
  return [
    ...(inputHash !== null && inputHash !== done.inputHash ? (["input"] as const) : []),
    ...(differs("version") ? (["version"] as const) : []),
    ...(differs("configHash") ? (["configuration"] as const) : []),
    ...(differs("model") ? (["model"] as const) : []),
    ...(done.forgotten ? (["asked for"] as const) : []),
  ];
}

const sameVariant = (a: VariantFacts | null, b: VariantFacts | null): boolean =>
  a === null ||
  b === null ||
  (a.version === b.version && a.configHash === b.configHash && a.model === b.model);

/** All attempts, including the current. */
function attemptCount({ task, claim, dead, done }: StageState): number {
  if (task) return task.attempts + task.waits + task.crashes + (claim ? 1 : 0);
  if (dead) return dead.attempts + dead.waits + dead.crashes;
  return done?.attempts ?? 0;
}

function lastAttemptTime({ task, claim, dead, done }: StageState): Date | null {
  if (task) return claim?.since ?? task.lastAttemptAt;
  if (dead) return dead.diedAt;
  return done?.finishedAt ?? null;
}

const limitOf = ({ task, dead, policies }: StageState): number => {
  const kind = task?.fault?.kind ?? dead?.fault.kind ?? "transient";
  return attemptsAllowed(policies, kind in policies ? kind : "transient");
};

function pastLimit(standing: StageState, task: TaskFacts): boolean {
  return task.fault !== null && task.attempts >= limitOf(standing);
}

function latest(...moments: (Date | null)[]): Date {
  return new Date(Math.max(...moments.map((moment) => moment?.getTime() ?? 0)));
}

const show = (moment: Date): string =>
  Number.isNaN(moment.getTime()) ? "an unknown time" : moment.toISOString();
const firstLine = (text: string): string => (text.split("\n", 1)[0] as string).slice(0, 200);
const ended = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
