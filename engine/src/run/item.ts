import { groupHash } from "../decide/hash.ts";
import type { Calls } from "../decide/result-facts.ts";
import type { ClaimedTask } from "../store/claims.ts";
import type { MemberRow } from "../store/groups.ts";
import type { PlannedStage } from "./graph.ts";
import type { TaskLooks } from "./look-ups.ts";
import type { PreparedDocument } from "./prepare.ts";

/** A task to be run, with the identity of its result. */
export interface Item {
  readonly task: ClaimedTask;
  readonly inputHash: Buffer;
  readonly marker: Buffer;
  /** Null for a stage without look-ups. */
  readonly looks: TaskLooks | null;
  /** The members, for a group. */
  readonly members: readonly MemberRow[] | null;
  /** Attempts so far, without the current; grows with retries in place. */
  readonly attempts: number;
  readonly waits: number;
}

export function itemOf(
  plan: PlannedStage,
  task: ClaimedTask,
  members: readonly MemberRow[] | null,
  looks: TaskLooks | null = null,
): Item {
  const inputHash = members ? groupHash(members) : (task.hash ?? Buffer.alloc(0));
  return {
    task,
    inputHash,
    marker: plan.marker(inputHash, looks?.hash),
    looks,
    members,
    attempts: task.attempts,
    waits: task.waits,
  };
}

/** End of one attempt. `outputs`: not yet committed in parts, by subject. */
export type Tried =
  | {
      readonly kind: "succeeded";
      readonly outputs: ReadonlyMap<number, PreparedDocument[]>;
      readonly streamed: boolean;
      /** Findings about unexpected results, by subject; null: none. */
      readonly findings: ReadonlyMap<number, string> | null;
      /** Calls to services, of the whole unit. */
      readonly calls: Calls | null;
    }
  | { readonly kind: "failed"; readonly thrown: unknown }
  | { readonly kind: "stopped" }
  /** The claim was lost in the middle of a stream: no further write is allowed. */
  | { readonly kind: "refused" };
