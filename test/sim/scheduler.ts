/** A process of the simulation. A hung process receives nothing until woken, a dead process nothing at all. */
export interface Owner {
  readonly name: string;
  state: "living" | "hung" | "dead";
}

/** A scheduled event, dropped if cancelled or if its owner is dead. */
export interface Happening {
  atMs: number;
  readonly lot: number;
  readonly owner: Owner | null;
  readonly run: () => void | Promise<void>;
  /** No process waits for this event. */
  readonly unheard: boolean;
  off: boolean;
}

/** Virtual time and all scheduled events. One event runs at a time; the seed decides ties. */
export interface Scheduler {
  nowMs(): number;
  /** Schedules an event of a process, or of the world, after a delay. */
  after(delayMs: number, owner: Owner | null, run: Happening["run"], how?: { unheard: boolean }): Happening;
  /** Runs a query outside of the story, as an event of its own. */
  look<T>(query: () => Promise<T>): Promise<T>;
  /** Delivers missed events to a process that was hung. */
  wake(owner: Owner): void;
  /** Runs events until `until` returns true, asked after each event. */
  play(until: () => boolean): Promise<void>;
  /** Records a note: the notes of a run are its story, and the hash of all notes identifies the run. */
  note(words: string): void;
  storyHash(): string;
}

export interface SchedulerParts {
  readonly random: () => number;
  /** Receives the notes; otherwise only the hash is kept. */
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
  /** Waits until all processes are blocked on scheduled events: real time must not decide the order. */
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

/** Priority queue by time, then by lot. A heap. */
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

/** FNV-1a, twice with different seeds: a collision is practically impossible. */
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
