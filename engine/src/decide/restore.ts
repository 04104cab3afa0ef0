/** Current state at the place of an exported dead letter. */
export interface RestoreFacts {
  /** Whether this database still has the stage, and the document or group. */
  readonly stageKnown: boolean;
  readonly documentThere: boolean;
  readonly owed: boolean;
  /** The current dead letter there. */
  readonly letter: { readonly diedAt: Date; readonly fingerprint: string; readonly purged: boolean } | null;
}

export type Restoring =
  | { readonly kind: "restore" }
  | { readonly kind: "unchanged" }
  | { readonly kind: "refuse"; readonly because: string };

/** Decides whether an exported dead letter may be restored. Only a purge is undone: later changes stay. */
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
