/** Ended calls of one attempt to a service: how many, their time together, and tokens where the answers report them. */
export interface Called {
  readonly count: number;
  readonly ms: number;
  readonly tokens?: number;
}

/** Ended calls by service. */
export type Calls = Readonly<Record<string, Called>>;

/** Facts about the making of a result, stored with it. Those of a batch are about all of its documents together. */
export interface ResultFacts {
  /** Null: no call to a declared service. */
  readonly calls: Calls | null;
  /** Documents of the attempt; 1 without a batch. */
  readonly batch: number;
  /** Reason why the stage did not expect this result; null: it did. */
  readonly finding: string | null;
}

/** Null: nothing worth a value in the row. */
export const resultFacts = (facts: ResultFacts): ResultFacts | null =>
  facts.calls === null && facts.batch === 1 && facts.finding === null ? null : facts;

/** Facts of a stored result. */
export interface StoredFacts extends ResultFacts {
  /** Time of the attempt that made it; null: unknown, made by an earlier version. */
  readonly attemptMs: number | null;
}

/** Columns of a result as its facts. */
export const storedFacts = (row: {
  readonly took_ms: number | null;
  readonly facts: { readonly calls?: Calls; readonly batch?: number } | null;
  readonly finding: string | null;
}): StoredFacts => ({
  attemptMs: row.took_ms,
  calls: row.facts?.calls ?? null,
  batch: row.facts?.batch ?? 1,
  finding: row.finding,
});

/** A stored result with the facts of its making. */
export interface ResultExplained extends StoredFacts {
  readonly finishedAt: Date;
  readonly outputs: number;
}

/** The result out of a stage's whole state. */
export const resultOf = ({
  finishedAt,
  outputs,
  attemptMs,
  batch,
  calls,
  finding,
}: ResultExplained): ResultExplained => ({
  finishedAt,
  outputs,
  attemptMs,
  batch,
  calls,
  finding,
});
