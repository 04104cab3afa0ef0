import type { SeedStatus } from "./seed-words.ts";

/** One stage owed to one subject: a document, or a group of a fan-in stage. */
export interface Task {
  readonly subject: number;
  readonly rank: number;
  readonly readyAt: Date;
  readonly generation: number;
  readonly attempts: number;
  readonly waits: number;
  readonly crashes: number;
  readonly firstAttemptAt: Date | null;
}

/** There is no "processing": a claim belongs to a living worker, and no crash can leave a claim behind. */
export type TaskState = "none" | "pending" | "done" | "dead";

/** All state changes of a task. */
export const moves = {
  owe: { from: ["none"], to: "pending" },
  finish: { from: ["pending"], to: "done" },
  retry: { from: ["pending"], to: "pending" },
  wait: { from: ["pending"], to: "pending" },
  hold: { from: ["pending"], to: "pending" },
  release: { from: ["pending"], to: "pending" },
  die: { from: ["pending"], to: "dead" },
  "input changed": { from: ["pending", "done", "dead"], to: "pending" },
  reprocess: { from: ["pending", "done"], to: "pending" },
  requeue: { from: ["dead"], to: "pending" },
  delete: { from: ["pending", "done", "dead"], to: "none" },
} as const satisfies Record<string, { from: readonly TaskState[]; to: TaskState }>;

export type Move = keyof typeof moves;

/** The seeds' words, shown to people. */
export function shownStatus(
  state: TaskState,
  attempts: number,
): Exclude<SeedStatus, "processing" | "processed"> {
  if (state === "done") return "completed";
  if (state === "dead") return "failed_max_retries";
  return attempts > 0 ? "failed" : "pending";
}
