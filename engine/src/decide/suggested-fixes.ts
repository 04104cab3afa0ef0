import type { Fixes } from "../define/pipeline.ts";
import type { FaultKind } from "./fault.ts";

/** Advice for the engine's own codes; pipelines declare theirs (`pipeline("…", { fixes })`). */
export const engineFixes: Fixes = {
  aborted: "Nothing to repair: the call was cancelled. Requeue if the task did not come back by itself.",
  "batch.*": "Correct the batch stage: every input needs exactly one answer, yielded for that input.",
  "broker.*": "Start RabbitMQ or correct HEADWAY_BROKER_URL; work goes on through the database meanwhile.",
  "commit.*":
    "Look at the output with `headway failed inspect`: the database refuses its content. Correct the stage, then requeue.",
  "connection.*":
    "Start the service or correct its address; `headway status` shows outages. Requeue what died before the outage was known.",
  "database.*":
    "Look the five-character code up in PostgreSQL's list of errors; correct rights, room or the statement.",
  "disk.full": "Make room on the disk (`headway doctor` shows where), then requeue.",
  "file.busy": "End the other process that holds the file, then requeue.",
  "file.forbidden": "Give the worker's user the right to read the file (chown, chmod), then requeue.",
  "file.too-many-open":
    "Raise the limit of open files of the service (LimitNOFILE, ulimit -n), then restart.",
  "file.*": "Put the file back under its name, or hand the source in again; then requeue.",
  "group.key": "Correct `per` of the fan-in stage: a key is a text of 1 to 1,000 characters.",
  "http.400": "Compare the request with the service's documentation: the service refuses its content.",
  "http.401": "Renew the key or password of the service, restart the workers, then requeue.",
  "http.403": "Give the key the right to this call, or use another key; then requeue.",
  "http.404": "Correct the address or the name of the model in the settings, then requeue.",
  "http.413": "Hand in smaller pieces (a smaller chunk or batch size), then requeue.",
  "http.429": "Lower the stage's rate or concurrency, or ask for a larger quota.",
  "http.*": "Look at the service's own log for the time of the fault; requeue when the service is well.",
  "input.invalid":
    "Compare the document with the schema of its collection; correct the source, or the schema and its version.",
  "input.malformed": "Get the document again from its source: the content cannot be parsed.",
  "input.too-large": "Split the document, or raise the limit that the message names; then requeue.",
  "isolate.memory": "Raise the memory of the isolated stage, or split the document; then requeue.",
  "isolate.module": "Correct the stage's module: the path does not load in a process of its own.",
  "isolate.*":
    "Look at the message for the reason of the process's end; requeue once, and correct the stage if it dies again.",
  "look-up.missing":
    "Hand the missing documents in, or find out why their stage did not make them: the task lives again when they come.",
  "look-up.*":
    "Correct the `ids` of the look-up: an array of ids, at most 100,000, that follow from the input.",
  "memory.exhausted":
    "Give the process more memory (--max-old-space-size), or split the document; then requeue.",
  "output.*": "Correct the stage: an output does not fit the declared collections. Then requeue.",
  "stage.timeout":
    "Look for what the stage waits for; raise its timeout only if the work really takes that long.",
  "stage.*": "Correct the stage as the message says, deploy, then requeue with --ramp.",
  "task.cancelled": "Nothing to repair: a person cancelled the task. Requeue to take that back.",
  "unknown.*":
    "Read the stack with `headway failed inspect`: the code threw something unforeseen. Correct it, then requeue with --ramp.",
  "worker.lost":
    "Look for the end of the workers (`headway workers`, the kernel's log of killed processes); requeue one alone first.",
};

/** Advice by the kind of a fault, for codes that nobody has written advice for. */
const kindFixes: Readonly<Record<FaultKind, string>> = {
  transient: "Wait for the service to be well again, then requeue.",
  "rate-limited": "Lower the stage's rate or concurrency, or ask for a larger quota; then requeue.",
  "not-found-yet":
    "Find out why the awaited document never came (`headway explain`), hand it in, then requeue.",
  permanent: "Correct the document at its source or the stage, then requeue.",
  unknown: engineFixes["unknown.*"] as string,
};

/** The most specific advice for a fault: by code, by family of codes, by kind. */
export function suggestedFix(
  { code, kind }: { readonly code: string; readonly kind: string },
  declared: readonly Fixes[] = [],
): string {
  const tables = [...declared, engineFixes];
  const family = `${code.split(".")[0]}.*`;
  for (const name of [code, family])
    for (const table of tables) if (Object.hasOwn(table, name)) return table[name] as string;
  return kindFixes[kind as FaultKind] ?? kindFixes.unknown;
}
