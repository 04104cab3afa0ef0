/** The producer of a document: a stage with its input subject; stage 0 is a source. */
export interface Producer {
  readonly stage: number;
  readonly subject: number;
}

/** A document that should exist, with the hash of its content. */
export interface Wanted {
  readonly collection: number;
  readonly id: string;
  readonly hash: Buffer;
}

/** A stored document with all its producers; `producers[0]` is named in the document's row. */
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
  /** The id exists with other content from another origin: the first document stands, this conflict is recorded. */
  | { readonly kind: "conflict"; readonly wanted: W; readonly producer: Producer; readonly subject: number }
  /** Another producer still yields the document; `heir` replaces a leaving producer named in the row. */
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
 * Compares current yields with stored documents and returns the changes. `present` must hold every document yielded
 * before by one of the producers, and every document with an id yielded now. With `partial` the yields are only a
 * part of a stream, so missing documents are not stale.
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
      // Given up by one producer and taken up by another in the same call: the document never went away, so the
      // giving-up is dropped.
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

/** The change for one yielded document. */
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
  // The producer no longer agrees with its co-producers. Remaining among them would block every later change of the
  // document. A source stays: it cannot be run again after the rest has gone.
  return own && producer.stage !== 0 ? [...withdraw(producer, entry), conflict] : [conflict];
}

/** A producer no longer yields a document: the document goes with its last producer. */
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
