import { StageFault, transient } from "../decide/fault.ts";
import type { Isolation } from "../define/stage.ts";
import { Child } from "./child.ts";
import { isTypeScript } from "./flags.ts";

/** A request for a process. */
interface Waiting {
  readonly isolation: Isolation;
  readonly take: (child: Child) => void;
  readonly refuse: (reason: unknown) => void;
  /** Number of later requests served before. */
  passed: number;
}

export interface PoolOptions {
  readonly processesMax: number;
  readonly idleMs: number;
  readonly startMs: number;
}

/** A process serves one kind of isolation only, so requests that fit an idle process go first, but not for ever. */
const passedMax = 32;

/** The processes, and the queue of requests. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #children = new Set<Child>();
  /** The longest idle first, each with its end timer. */
  readonly #idle = new Map<Child, NodeJS.Timeout>();
  readonly #line = new Set<Waiting>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  take(isolation: Isolation, signal: AbortSignal): Promise<Child> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw closedFault();
      signal.throwIfAborted();
      const leave = () => {
        this.#line.delete(waiting);
        reject(signal.reason);
      };
      const take = (child: Child) => {
        signal.removeEventListener("abort", leave);
        resolve(child);
      };
      const waiting: Waiting = { isolation, take, refuse: reject, passed: 0 };
      signal.addEventListener("abort", leave);
      this.#line.add(waiting);
      this.#serve();
    });
  }

  /** A busy process can be stopped only by ending it. */
  giveBack(child: Child): void {
    if (child.busy || this.#closed) void child.end(null);
    if (child.ending) return;
    child.rest();
    const timer = setTimeout(() => void child.end(null), this.#options.idleMs);
    this.#idle.set(child, timer.unref());
    this.#serve();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#line) waiting.refuse(closedFault());
    this.#line.clear();
    await Promise.all([...this.#children].map((child) => child.end(closedFault())));
  }

  #serve(): void {
    let first: Waiting | undefined;
    for (const waiting of this.#line) {
      if (first && first.passed >= passedMax) break;
      const served = this.#tryServe(waiting);
      if (served && first) first.passed += 1;
      if (!served) first ??= waiting;
    }
    if (!first || [...this.#children].some((child) => child.ending)) return;
    // No request fits the idle processes: the slot is worth more than the process.
    const [longestIdle] = this.#idle.keys();
    void longestIdle?.end(null);
  }

  #tryServe(waiting: Waiting): boolean {
    const { isolation } = waiting;
    const warm = [...this.#idle.keys()].findLast(
      (child) => !child.ending && fits(child.isolation, isolation),
    );
    if (!warm && this.#children.size >= this.#options.processesMax) return false;
    this.#line.delete(waiting);
    try {
      waiting.take(warm ?? this.#start(isolation));
    } catch (cause) {
      const message = "No process could be started for an isolated stage.";
      waiting.refuse(cause instanceof StageFault ? cause : transient("isolate.start", message, { cause }));
    }
    if (warm) this.#leaveIdle(warm);
    return true;
  }

  #start(isolation: Isolation): Child {
    const child = new Child(isolation, this.#options.startMs, () => {
      this.#children.delete(child);
      this.#leaveIdle(child);
      this.#serve();
    });
    this.#children.add(child);
    return child;
  }

  #leaveIdle(child: Child): void {
    clearTimeout(this.#idle.get(child));
    this.#idle.delete(child);
  }
}

const closedFault = () => transient("isolate.closed", "The worker stops, and its isolated stages with it.");

/** Any module runs in any process of the same limits and walls; TypeScript needs a loader and so another wall. */
const fits = (a: Isolation, b: Isolation): boolean =>
  isTypeScript(a.module) === isTypeScript(b.module) &&
  a.memoryMb === b.memoryMb &&
  a.env.join() === b.env.join() &&
  a.allow.join() === b.allow.join();
