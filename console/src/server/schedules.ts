/** Sources that are read on a schedule, filled by the intake. */
export interface Schedules {
  list(): Promise<readonly ScheduledSource[]>;
  /** Null: no source of the name is read on a schedule. */
  show(name: string): Promise<(ScheduledSource & { readonly runs: readonly SourceRun[] }) | null>;
  /** False: nothing changed, as a paused source is paused already. */
  steer(name: string, steering: Steering): Promise<boolean>;
}

export interface Steering {
  readonly verb: "run" | "pause" | "resume";
  readonly actor: string;
  readonly why: string;
}

/** A source without its secret. */
export interface ScheduledSource {
  readonly name: string;
  readonly kind: string;
  readonly place: string;
  readonly pipeline: string;
  readonly list: string | null;
  readonly schedule: string;
  readonly nextAt: Date | null;
  readonly paused: { readonly at: Date; readonly by: string | null; readonly why: string | null } | null;
  readonly origin: string;
  readonly addedAt: Date;
  readonly addedBy: string;
  readonly hasSecret: boolean;
  /** The newest run. */
  readonly last: SourceRun | null;
  /** The host does not answer: runs wait, and cost no attempt. */
  readonly hostDown: { readonly host: string; readonly since: Date; readonly probeAt: Date } | null;
}

export interface SourceRun {
  readonly run: number;
  /** `collection/id` of the run. */
  readonly document: string;
  readonly due: string;
  readonly asked: string;
  readonly state: "waiting" | "done" | "dead";
  readonly attempts: number;
  readonly ready_at: Date | null;
  readonly fault: { readonly code: string; readonly message: string } | null;
  readonly result: {
    readonly new: number;
    readonly unchanged: number;
    readonly refused: number;
    readonly damaged: number;
    readonly bytes: number;
    readonly startedAt: string;
    readonly endedAt: string;
    readonly notes: readonly { readonly place: string; readonly because: string }[];
  } | null;
}
