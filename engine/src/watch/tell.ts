import type { Fault } from "../decide/fault.ts";
import type { OfTask, Signal, SignalKind } from "../decide/signal.ts";
import { read } from "../decide/thrown.ts";
import { isoOf } from "./plain.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Level and meaning of each kind of signal. */
export const signalKinds: { readonly [Kind in SignalKind]: { level: LogLevel; about: string } } = {
  "worker.started": { level: "info", about: "A worker has joined and begins to claim." },
  "worker.stopped": { level: "info", about: "A worker has left in good order." },
  "worker.evicted": { level: "warn", about: "Another worker was found dead; what it held is free again." },
  "worker.lost": {
    level: "error",
    about: "Our own worker was declared dead, and starts again as a new one.",
  },
  "task.done": { level: "debug", about: "A result was committed; info after a retry, with the total time." },
  "task.skipped": { level: "debug", about: "The marker shows that nothing has changed; nothing was run." },
  "task.retried": {
    level: "info",
    about: "An attempt failed, and the next one has a time; a warning if the next one is the last.",
  },
  "task.held": {
    level: "warn",
    about: "A dependency is down; the task waits for it and no attempt is counted.",
  },
  "task.waiting": { level: "debug", about: "A group is not complete yet and is looked at again later." },
  "task.released": {
    level: "debug",
    about: "The worker stops; the task is given back and no attempt is counted.",
  },
  "task.unexpected": {
    level: "warn",
    about: "A task is done with a result that its stage did not expect; the result stands.",
  },
  "task.died": { level: "error", about: "A task has become a dead letter and waits for a person." },
  "commit.refused": { level: "warn", about: "A result came after its claim was gone; nothing was written." },
  "commit.failed": {
    level: "warn",
    about: "A result could not be written yet; it is tried until the database is back.",
  },
  "document.conflict": {
    level: "warn",
    about: "Two origins yield one id with different content; the first one stands.",
  },
  "document.normalised": {
    level: "warn",
    about: "NUL bytes or lone surrogates were replaced on the way in.",
  },
  "documents.accepted": { level: "info", about: "Documents were taken in, or found unchanged." },
  "documents.removed": { level: "info", about: "Documents that nobody yields any more were erased." },
  "batch.halved": { level: "warn", about: "A batch failed and is halved to find the culprit." },
  "breaker.opened": {
    level: "error",
    about: "A dependency is down; nothing is claimed for the stages that need it.",
  },
  "breaker.probed": {
    level: "debug",
    about: "One document is sent to a dependency that is down, to see whether it is back.",
  },
  "breaker.closed": { level: "info", about: "A dependency is back; load returns step by step." },
  "policy.refused": {
    level: "warn",
    about: "A retry policy in the database makes no sense; the declared one holds.",
  },
  "events.relayed": { level: "debug", about: "Events were handed on to the outside." },
  "events.unrouted": {
    level: "debug",
    about: "Events were handed on, and no queue is bound to their types.",
  },
  "event.received": { level: "info", about: "An event from outside was taken in, or was known before." },
  "delivery.quarantined": {
    level: "error",
    about: "Something came from the broker that is no event we know; it is kept as it came.",
  },
  "news.stale": {
    level: "debug",
    about: "The broker told of work that was done already, or in other hands.",
  },
  "broker.lost": {
    level: "error",
    about: "The broker does not answer; work goes on through the database, events wait in the outbox.",
  },
  "broker.back": { level: "info", about: "The broker answers again; what waited is handed on." },
  "sweep.finished": { level: "info", about: "The sweep has looked for what was forgotten." },
  "alert.delivery": {
    level: "info",
    about: "A notice about an alert was sent, or an attempt to send it failed.",
  },
  "sweep.failed": { level: "error", about: "The sweep could not finish; it is tried again when it is due." },
  "spans.dropped": {
    level: "warn",
    about: "The collector of traces took none of these spans; the work is not touched.",
  },
  "database.lost": { level: "error", about: "The database does not answer." },
  "database.back": { level: "info", about: "The database answers again." },
};

/** The level of a signal: of its kind, except that a last attempt is a warning and a success after retries is news. */
export function levelOf(signal: Signal): LogLevel {
  if (signal.kind === "task.retried" && read(signal, "left") === 1) return "warn";
  if (signal.kind === "task.done" && Number(read(signal, "attempt")) > 1) return "info";
  return signalKinds[signal.kind].level;
}

/** A signal as one sentence for people. */
export function sentenceOf(signal: Signal): string {
  switch (signal.kind) {
    case "worker.started":
      return `Worker ${signal.worker} starts with ${count(signal.stages.length, "stage")}.`;
    case "worker.stopped":
      return signal.released === 0
        ? `Worker ${signal.worker} has stopped.`
        : `Worker ${signal.worker} has stopped; ${count(signal.released, "attempt")} did not end in time and were given back.`;
    case "worker.evicted":
      return `Worker ${signal.worker} is dead: ${signal.because}; ${count(signal.freed, "task")} freed.`;
    case "worker.lost":
      return `Our worker ${signal.worker} was lost: ${signal.because}; it starts again as a new one.`;
    case "document.conflict":
      return `"${signal.documentId}" in ${signal.collection} has two origins with different content; the first one stands.`;
    case "document.normalised":
      return `${count(signal.replaced, "character")} of "${signal.documentId}" in ${signal.collection} could not be stored and became U+FFFD.`;
    case "documents.accepted":
      return `Accepted into ${signal.collection}: ${signal.inserted} new, ${signal.changed} changed, ${signal.unchanged} unchanged, ${count(signal.conflicts, "conflict")}.`;
    case "documents.removed":
      return `${count(signal.documents, "document")} that nobody yields any more ${signal.documents === 1 ? "was" : "were"} removed.`;
    case "breaker.opened":
      return `The dependency "${signal.dependency}" is down: ${reasonOf(signal.fault)}.`;
    case "breaker.probed":
      return `One document tries the dependency "${signal.dependency}"; the next may at ${isoOf(signal.nextAt)}.`;
    case "breaker.closed":
      return `The dependency "${signal.dependency}" is back after ${signal.downMs} ms.`;
    case "events.relayed":
      return `${count(signal.events, "event")} handed on.`;
    case "events.unrouted":
      return `${count(signal.events, "event")} that nobody has a queue for.`;
    case "event.received":
      return `The event ${signal.eventId} (${signal.type}) from outside was ${signal.effect === "known" ? "known before" : "taken in"}.`;
    case "delivery.quarantined":
      return `A delivery in ${signal.queue} is set aside (${signal.reason}): ${signal.detail}.`;
    case "broker.lost":
      return `The broker does not answer: ${reasonOf(signal.fault)}; work goes on through the database.`;
    case "broker.back":
      return `The broker is back after ${signal.downMs} ms.`;
    case "sweep.finished":
      return `The sweep took ${signal.durationMs} ms: ${signal.owed} owed, ${signal.freed} freed, ${signal.died} past their limit, ${signal.pulledIn} pulled in.`;
    case "alert.delivery":
      return signal.outcome === "sent"
        ? `The notice ${signal.notice} went out by ${signal.channel}.`
        : `The notice ${signal.notice} did not go out by ${signal.channel}${signal.outcome === "given_up" ? " and is given up" : ""}: ${signal.problem}.`;
    case "sweep.failed":
      return `The sweep failed after ${signal.durationMs} ms: ${reasonOf(signal.fault)}.`;
    case "spans.dropped":
      return `${count(signal.spans, "span")} dropped: ${signal.problem}.`;
    case "database.lost":
      return `The database does not answer: ${reasonOf(signal.fault)}.`;
    case "database.back":
      return `The database is back after ${signal.downMs} ms.`;
    default:
      return sentenceOfStage(signal);
  }
}

/** Signals of a stage. */
function sentenceOfStage(
  signal: Exclude<Extract<Signal, { readonly stage: string }>, { kind: "document.conflict" }>,
): string {
  switch (signal.kind) {
    case "task.done":
      return `${task(signal)} is done after ${signal.durationMs} ms with ${count(signal.outputs, "output")}${afterRetries(signal)}.`;
    case "task.unexpected":
      return `${task(signal)} has an unexpected result: ${signal.finding.replace(/[.\s]{1,20}$/, "")}.`;
    case "task.skipped":
      return `${task(signal)} is unchanged.`;
    case "task.retried":
      return `${task(signal)} failed (${reasonOf(signal.fault)}); attempt ${signal.attempt + 1}${signal.left <= 1 ? ", the last one," : ""} follows at ${isoOf(signal.nextAt)}.`;
    case "task.held":
      return `${task(signal)} is held until "${signal.dependency}" is back: ${reasonOf(signal.fault)}.`;
    case "task.waiting":
      return `${task(signal)} waits (${signal.reason}) until ${isoOf(signal.nextAt)}.`;
    case "task.released":
      return `${task(signal)} is given back.`;
    case "task.died":
      return `${task(signal)} is dead (${signal.reason}): ${reasonOf(signal.fault)}.`;
    case "commit.refused":
      return `${count(signal.tasks, "result")} of ${signal.stage} came too late from worker ${signal.worker}: its claim was gone.`;
    case "commit.failed":
      return `${count(signal.tasks, "result")} of ${signal.stage} could not be written yet: ${reasonOf(signal.fault)}.`;
    case "batch.halved":
      return `A batch of ${signal.from} failed in ${signal.stage} (${reasonOf(signal.fault)}) and is halved.`;
    case "news.stale":
      return `${count(signal.notices, "piece")} of news for ${signal.stage} led to nothing.`;
    case "policy.refused":
      return `The retry policy of ${signal.stage} for ${signal.faultKind} faults is not used: ${signal.problem}.`;
  }
}

const afterRetries = ({ attempt, sinceFirstMs }: { attempt: number; sinceFirstMs?: number }): string =>
  attempt > 1
    ? `, at attempt ${attempt}${sinceFirstMs === undefined ? "" : `, ${sinceFirstMs} ms after the first`}`
    : "";
const task = ({ documentId, stage }: OfTask): string => `"${documentId}" in ${stage}`;
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
const reasonOf = ({ code, message }: Fault): string => `${code}: ${message.replace(/[.\s]{1,20}$/, "")}`;
