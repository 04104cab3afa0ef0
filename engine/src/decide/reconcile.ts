/** Who yields a document: a stage working on a subject; stage 0 is a source. */
export interface Producer {
  readonly stage: number;
  readonly subject: number;
}

/** A document that should exist, as its content is known. */
export interface Wanted {
  readonly collection: number;
  readonly id: string;
  readonly hash: Buffer;
}

/** A stored document with everybody who yields it; `producers[0]` is the one named in its row. */
export interface Present extends Wanted {
  readonly subject: number;
  readonly gone: boolean;
  readonly producers: readonly Producer[];
}

export type Change<W extends Wanted = Wanted> =
  | { readonly kind: "insert"; readonly wanted: W; readonly producer: Producer; readonly subject: number }
  | {
      readonly kind: "update";
      readonly wanted: W;
      readonly producer: Producer;
      readonly subject: number;
      readonly revived: boolean;
    }
  | { readonly kind: "keep"; readonly wanted: W; readonly producer: Producer; readonly subject: number }
  | { readonly kind: "share"; readonly wanted: W; readonly producer: Producer; readonly subject: number }
  /** The id exists with other content from another origin: the first one stands, this one is recorded. */
  | { readonly kind: "conflict"; readonly wanted: W; readonly producer: Producer; readonly subject: number }
  /** Others still yield it; `heir` takes the place of the producer in its row, if that was the one who leaves. */
  | {
      readonly kind: "leave";
      readonly producer: Producer;
      readonly subject: number;
      readonly heir: Producer | null;
    }
  | { readonly kind: "remove"; readonly subject: number };

interface Entry {
  subject: number;
  hash: Buffer;
  gone: boolean;
  producers: Producer[];
}

const same = (a: Producer) => (b: Producer) => a.stage === b.stage && a.subject === b.subject;
const keyOf = (wanted: Wanted) => `${wanted.collection}/${wanted.id}`;

/**
 * Compares what producers yield now with what is there, and says what has to change. `present` must hold every document
 * that one of the producers yielded before, and every document whose id one of them yields now. With `partial` the yields
 * are only a part of a stream, so what is missing from them is not stale.
 */
export function reconcile<W extends Wanted>(
  yields: readonly { readonly producer: Producer; readonly wanted: readonly W[] }[],
  present: readonly Present[],
  nextSubject: () => number,
  partial = false,
): Change<W>[] {
  const entries = new Map<string, Entry>();
  for (const one of present) entries.set(keyOf(one), { ...one, producers: [...one.producers] });
  let changes: Change<W>[] = [];
  for (const { producer, wanted } of yields) {
    const yielded = new Set<string>();
    for (const one of wanted) {
      const key = keyOf(one);
      if (yielded.has(key)) continue;
      yielded.add(key);
      const placed = place(one, producer, key, entries, nextSubject);
      const revived = placed.find((change) => change.kind === "update" && change.revived);
      // Taken up in the same breath as others gave it up: it never went away, and whoever writes need not undo it.
      if (revived) changes = changes.filter((change) => !isGivingUp(change, revived.subject));
      changes.push(...placed);
    }
    if (partial) continue;
    for (const [key, entry] of entries) {
      if (!yielded.has(key) && entry.producers.some(same(producer)))
        changes.push(...withdraw(producer, entry));
    }
  }
  return changes;
}

const isGivingUp = (change: Change, subject: number) =>
  (change.kind === "leave" || change.kind === "remove") && change.subject === subject;

/** What one yielded document means, given what is there. */
function place<W extends Wanted>(
  wanted: W,
  producer: Producer,
  key: string,
  entries: Map<string, Entry>,
  nextSubject: () => number,
): Change<W>[] {
  const entry = entries.get(key);
  if (!entry) {
    const subject = nextSubject();
    entries.set(key, { subject, hash: wanted.hash, gone: false, producers: [producer] });
    return [{ kind: "insert", wanted, producer, subject }];
  }
  const { subject } = entry;
  const equal = entry.hash.equals(wanted.hash);
  if (entry.gone || entry.producers.length === 0) {
    Object.assign(entry, { hash: wanted.hash, gone: false, producers: [producer] });
    return [{ kind: "update", wanted, producer, subject, revived: true }];
  }
  const own = entry.producers.some(same(producer));
  if (equal) {
    if (own) return [{ kind: "keep", wanted, producer, subject }];
    entry.producers.push(producer);
    return [{ kind: "share", wanted, producer, subject }];
  }
  if (own && entry.producers.length === 1) {
    entry.hash = wanted.hash;
    return [{ kind: "update", wanted, producer, subject, revived: false }];
  }
  const conflict: Change<W> = { kind: "conflict", wanted, producer, subject };
  // It no longer yields what the others do. If it stayed among them, none could ever change the document again: each
  // would be in the others' way. A source stays: it cannot be asked again when they are gone.
  return own && producer.stage !== 0 ? [...withdraw(producer, entry), conflict] : [conflict];
}

/** A producer no longer yields a document: it goes with its last one. */
function withdraw(producer: Producer, entry: Entry): Change<never>[] {
  const wasNamed = entry.producers[0] !== undefined && same(producer)(entry.producers[0]);
  entry.producers = entry.producers.filter((one) => !same(producer)(one));
  if (entry.producers.length > 0) {
    return [
      {
        kind: "leave",
        producer,
        subject: entry.subject,
        heir: wasNamed ? (entry.producers[0] as Producer) : null,
      },
    ];
  }
  entry.gone = true;
  return [{ kind: "remove", subject: entry.subject }];
}
