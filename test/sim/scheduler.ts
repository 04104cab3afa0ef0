/** A process of the simulation: while it is hung nothing reaches it, once it is dead nothing ever does. */
export interface Owner {
  readonly name: string;
  state: "living" | "hung" | "dead";
}

/** Something that is going to happen, unless it is called off or whom it happens to is dead by then. */
export interface Happening {
  atMs: number;
  readonly lot: number;
  readonly owner: Owner | null;
  readonly run: () => void | Promise<void>;
  /** Nobody goes on because of it. */
  readonly unheard: boolean;
  off: boolean;
}

/** Virtual time, and everything that waits for its moment. Only one thing happens at a time, chosen by the seed. */
export interface Scheduler {
  nowMs(): number;
  /** Happens to a process, or to the world, after a delay. */
  after(delayMs: number, owner: Owner | null, run: Happening["run"], how?: { unheard: boolean }): Happening;
  /** Looks at something behind everybody's back, in a moment of its own. */
  look<T>(query: () => Promise<T>): Promise<T>;
  /** Hands a process that was hung what it has missed. */
  wake(owner: Owner): void;
  /** Lets things happen until `until` says so; it is asked after each moment. */
  play(until: () => boolean): Promise<void>;
  /** Writes something down: the notes of a run are its story, their hash tells two runs apart. */
  note(words: string): void;
  storyHash(): string;
}

export interface SchedulerParts {
  readonly random: () => number;
  /** Where notes go; without it only their hash is kept. */
  readonly tell: ((line: string) => void) | null;
}

export function makeScheduler({ random, tell }: SchedulerParts): Scheduler {
  const queue = makeQueue();
  const missed = new Map<Owner, Happening[]>();
  const hash = makeHash();
  let nowMs = 0;
  let planned = 0;

  function after(
    delayMs: number,
    owner: Owner | null,
    run: Happening["run"],
    { unheard } = { unheard: false },
  ): Happening {
    planned += 1;
    const happening = { atMs: nowMs + Math.max(0, delayMs), lot: random(), owner, run, unheard, off: false };
    queue.add(happening);
    return happening;
  }
  /** Until nobody has anything left to do without something happening: real time must not decide who is first. */
  async function rest(): Promise<void> {
    for (let before = -1; before !== planned; ) {
      before = planned;
      await turn();
      await turn();
    }
  }
  function note(words: string): void {
    const line = `${nowMs.toFixed(3)} ${words}`;
    hash.add(line);
    tell?.(line);
  }
  async function play(until: () => boolean): Promise<void> {
    for (let next = queue.take(); next; next = queue.take()) {
      const { owner } = next;
      if (next.off || owner?.state === "dead") continue;
      nowMs = Math.max(nowMs, next.atMs);
      if (owner?.state === "hung") {
        missed.set(owner, [...(missed.get(owner) ?? []), next]);
        continue;
      }
      await next.run();
      if (!next.unheard) await rest();
      if (until()) return;
    }
    throw new Error("Nothing is left that could ever happen.");
  }
  return {
    nowMs: () => nowMs,
    after,
    look: (query) =>
      new Promise((resolve, reject) => {
        after(0, null, () => query().then(resolve, reject));
      }),
    wake(owner) {
      owner.state = "living";
      for (const one of missed.get(owner) ?? []) {
        one.atMs = nowMs;
        queue.add(one);
      }
      missed.delete(owner);
    },
    play,
    note,
    storyHash: hash.read,
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** What comes first is taken first; what comes at the same time in the order of its lots. A heap. */
function makeQueue() {
  const heap: Happening[] = [];
  const before = (a: number, b: number) => {
    const [one, other] = [heap[a] as Happening, heap[b] as Happening];
    return one.atMs < other.atMs || (one.atMs === other.atMs && one.lot < other.lot);
  };
  const swap = (a: number, b: number) => {
    [heap[a], heap[b]] = [heap[b] as Happening, heap[a] as Happening];
  };
  return {
    add(happening: Happening): void {
      heap.push(happening);
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!before(at, parent)) return;
        swap(at, parent);
        at = parent;
      }
    },
    take(): Happening | undefined {
      const first = heap[0];
      const last = heap.pop();
      if (!last || heap.length === 0) return first;
      heap[0] = last;
      for (let at = 0; ; ) {
        let least = at;
        for (const child of [2 * at + 1, 2 * at + 2])
          if (child < heap.length && before(child, least)) least = child;
        if (least === at) return first;
        swap(at, least);
        at = least;
      }
    },
  };
}

/** FNV-1a, twice with different starts: two stories that differ have different hashes, for all we will ever see. */
function makeHash() {
  let [one, other] = [0x811c9dc5, 0x1b873593];
  return {
    add(line: string): void {
      for (let at = 0; at < line.length; at++) {
        const code = line.charCodeAt(at);
        one = Math.imul(one ^ code, 0x01000193);
        other = Math.imul(other ^ code, 0x85ebca6b);
      }
    },
    read: () => [one, other].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join(""),
  };
}
