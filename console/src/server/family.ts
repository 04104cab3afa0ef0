import type { TraceLine } from "@headway/engine/operate";

/** A document of a family, with its producing stage; null: from a source. */
export interface Relative {
  readonly collection: string;
  readonly id: string;
  readonly stage: string | null;
}

export interface Family {
  /** From the parent to the oldest ancestor known. */
  readonly before: readonly Relative[];
  /** Descendants by collection, the first few by name. */
  readonly after: readonly {
    readonly collection: string;
    readonly count: number;
    readonly first: readonly Relative[];
  }[];
}

/** Lines of origin read for a family. */
export const familyMax = 1_000;
const namedMax = 20;
const generationsMax = 20;

interface Self {
  readonly collection: string | null;
  readonly id: string;
}

/** Ancestors and descendants, from the lines of origin. */
export function familyOf(
  lines: readonly TraceLine[],
  self: Self,
  readBy: (stage: string) => string | undefined,
): Family {
  const origins = new Map<string, Relative & { readonly parent: string | null }>();
  for (const { kind, subject, stage, text } of lines) {
    if (kind !== "accepted" && kind !== "made") continue;
    const slash = subject.indexOf("/");
    if (slash <= 0) continue;
    const reads = stage === null ? undefined : readBy(stage);
    const parent = kind === "made" && text !== null && reads !== undefined ? `${reads}/${text}` : null;
    const made = kind === "made" ? stage : null;
    origins.set(subject, {
      collection: subject.slice(0, slash),
      id: subject.slice(slash + 1),
      stage: made,
      parent,
    });
  }
  const name = `${self.collection ?? ""}/${self.id}`;
  const before: Relative[] = [];
  for (let one = origins.get(name); one?.parent && before.length < generationsMax; ) {
    const up = origins.get(one.parent);
    if (!up) break;
    before.push(withoutParent(up));
    one = up;
  }
  const above = new Set([name, ...before.map(({ collection, id }) => `${collection}/${id}`)]);
  const after = new Map<string, Relative[]>();
  for (const [subject, one] of origins)
    if (!above.has(subject))
      after.set(one.collection, [...(after.get(one.collection) ?? []), withoutParent(one)]);
  return {
    before,
    after: [...after].map(([collection, all]) => ({
      collection,
      count: all.length,
      first: all.slice(0, namedMax),
    })),
  };
}

const withoutParent = ({ collection, id, stage }: Relative): Relative => ({ collection, id, stage });
