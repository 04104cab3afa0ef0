import type { Fixes } from "../define/pipeline.ts";
import type { RetryPolicies } from "../define/retry.ts";
import type { StageFacts } from "./eligible.ts";
import type { Fault } from "./fault.ts";
import type { StoredFacts } from "./result-facts.ts";

/** All facts about one document or group at one moment. */
export interface Facts {
  /** Advice declared by the pipelines. */
  readonly fixes?: readonly Fixes[];
  readonly subject: number;
  /** Null for a group of a fan-in stage. */
  readonly collection: string | null;
  readonly id: string;
  /** Set for a deleted document waiting for removal. */
  readonly goneAt: Date | null;
  readonly stages: readonly StageState[];
}

/** State of one stage of a document, with everything that decides the next step. */
export interface StageState {
  readonly stage: string;
  /** The document's group at a fan-in stage. */
  readonly group: string | null;
  readonly task: TaskFacts | null;
  readonly claim: ClaimFacts | null;
  readonly done: DoneFacts | null;
  readonly dead: DeadFacts | null;
  readonly opening: StageFacts;
  /** Outputs may pass through this stage in the commit that makes them; null: without its code this is unknown. */
  readonly runsAhead?: boolean | null;
  readonly policies: RetryPolicies;
  readonly newest: VariantFacts | null;
  /** The hash of the current input; null: unknown. */
  readonly inputHash: string | null;
  readonly workers: number;
  readonly members: MemberFacts | null;
}

export interface TaskFacts {
  readonly readyAt: Date;
  readonly reason: string | null;
  readonly owedAt: Date;
  readonly attempts: number;
  readonly waits: number;
  readonly crashes: number;
  readonly lastAttemptAt: Date | null;
  readonly fault: Fault | null;
}

export interface ClaimFacts {
  readonly worker: number;
  /** Name, machine and process; null: the worker is no longer known. */
  readonly name: string | null;
  readonly since: Date;
}

export interface DoneFacts extends StoredFacts {
  readonly finishedAt: Date;
  readonly attempts: number;
  readonly outputs: number;
  readonly inputHash: string;
  readonly variant: VariantFacts | null;
  /** Reprocessing was requested. */
  readonly forgotten: boolean;
}

export interface DeadFacts {
  readonly id: number;
  readonly reason: string;
  readonly fault: Fault;
  readonly diedAt: Date;
  readonly attempts: number;
  readonly waits: number;
  readonly crashes: number;
  readonly variant: VariantFacts | null;
  readonly closed: { readonly as: string; readonly by: string; readonly at: Date } | null;
}

export interface VariantFacts {
  readonly version: string;
  readonly configHash: string;
  readonly model: string;
}

/** Members of a group that have not passed the `after` stages; `first` names a few. */
export interface MemberFacts {
  readonly total: number;
  readonly pending: number;
  readonly dead: number;
  readonly first: readonly string[];
}
