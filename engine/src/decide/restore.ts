/** How things stand at the place that a dead letter of an export belongs to. */
export interface RestoreFacts {
  /** Whether this database has such a stage, and still such a document or group. */
  readonly stageKnown: boolean;
  readonly documentThere: boolean;
  readonly owed: boolean;
  /** The dead letter that is there now. */
  readonly letter: { readonly diedAt: Date; readonly fingerprint: string; readonly purged: boolean } | null;
}

export type Restoring =
  | { readonly kind: "restore" }
  | { readonly kind: "unchanged" }
  | { readonly kind: "refuse"; readonly because: string };

/** Whether a dead letter of an export may take its place again. Only a purge is undone: what has moved on since stays so. */
export function decideRestore(
  facts: RestoreFacts,
  exported: { readonly diedAt: Date; readonly fingerprint: string; readonly purged: boolean },
): Restoring {
  const { stageKnown, documentThere, owed, letter } = facts;
  if (!stageKnown) return refuse("its stage is not in this database");
  if (!documentThere) return refuse("its document was deleted");
  if (owed) return refuse("it was requeued and waits for its stage");
  if (!letter) return refuse("it was requeued and is dead no more");
  const same =
    letter.diedAt.getTime() === exported.diedAt.getTime() && letter.fingerprint === exported.fingerprint;
  if (!same) return refuse("it was requeued and has died again since");
  if (!letter.purged) return { kind: "unchanged" };
  if (exported.purged) return { kind: "unchanged" };
  return { kind: "restore" };
}

const refuse = (because: string): Restoring => ({ kind: "refuse", because });
