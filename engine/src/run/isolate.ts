import { availableParallelism } from "node:os";
import { deserialize } from "node:v8";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { StageFault, transient } from "../decide/fault.ts";
import { describe, readText } from "../decide/thrown.ts";
import type { Isolation, Stage, StageContext } from "../define/stage.ts";
import type { Running } from "./attempt.ts";

/** Threads in which stages run that may spin or explode. */
export interface Isolates {
  /** Runs a stage apart; what it yields arrives with back-pressure. Ending `running` ends the thread. */
  run(stage: Stage, input: unknown, running: Running): AsyncIterable<unknown>;
  close(): Promise<void>;
}

export interface IsolatesOptions {
  /** Runs beyond these wait in line. */
  readonly threadsMax?: number;
  /** How long a thread without work is kept warm. */
  readonly idleMs?: number;
  /** How long an ended thread may take to die before its place is given away: in native code it cannot be stopped. */
  readonly dyingMs?: number;
}

const isolatesDefaults = { idleMs: 30_000, dyingMs: 5_000 } as const;

export function makeIsolates(options: IsolatesOptions = {}): Isolates {
  const threadsMax = Math.max(2, availableParallelism());
  const pool = new Pool({ threadsMax, ...isolatesDefaults, ...options });
  return {
    run: (stage, input, running) => runApart(pool, stage, input, running),
    close: () => pool.close(),
  };
}

async function* runApart(
  pool: Pool,
  stage: Stage,
  input: unknown,
  running: Running,
): AsyncGenerator<unknown> {
  const { signal } = running;
  const thread = await pool.take(stage.isolate as Isolation, signal);
  const endThread = () => void thread.end(signal.reason);
  signal.addEventListener("abort", endThread);
  try {
    signal.throwIfAborted();
    thread.begin(stage, input, running.context as StageContext);
    for (;;) {
      const { yields, end } = await thread.receive();
      for (const packed of yields) yield deserialize(packed);
      if (end?.kind === "thrown") throw revive(end.thrown);
      if (end) return;
      thread.askForMore();
    }
  } finally {
    signal.removeEventListener("abort", endThread);
    pool.giveBack(thread);
  }
}

/** Somebody who needs a thread. */
interface Waiting {
  readonly isolation: Isolation;
  readonly take: (thread: Thread) => void;
  readonly refuse: (reason: unknown) => void;
  /** How many have been served that came later. */
  passed: number;
}

/** A thread is good for one module only, so whoever can use it as it is goes first, but not for ever. */
const passedMax = 32;

class Pool {
  readonly #options: Required<IsolatesOptions>;
  readonly #threads = new Set<Thread>();
  /** The longest idle first, each with the timer that ends it. */
  readonly #idle = new Map<Thread, NodeJS.Timeout>();
  readonly #line = new Set<Waiting>();
  #closed = false;

  constructor(options: Required<IsolatesOptions>) {
    this.#options = options;
  }

  take(isolation: Isolation, signal: AbortSignal): Promise<Thread> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw closedFault();
      signal.throwIfAborted();
      const leave = () => {
        this.#line.delete(waiting);
        reject(signal.reason);
      };
      const take = (thread: Thread) => {
        signal.removeEventListener("abort", leave);
        resolve(thread);
      };
      const waiting: Waiting = { isolation, take, refuse: reject, passed: 0 };
      signal.addEventListener("abort", leave);
      this.#line.add(waiting);
      this.#serve();
    });
  }

  /** A thread that is still at work can be stopped only by ending it. */
  giveBack(thread: Thread): void {
    if (thread.busy || this.#closed) void thread.end(null);
    if (thread.ending) return;
    thread.rest();
    const timer = setTimeout(() => void thread.end(null), this.#options.idleMs);
    this.#idle.set(thread, timer.unref());
    this.#serve();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#line) waiting.refuse(closedFault());
    this.#line.clear();
    await Promise.all([...this.#threads].map((thread) => thread.end(closedFault())));
  }

  #serve(): void {
    let first: Waiting | undefined;
    for (const waiting of this.#line) {
      if (first && first.passed >= passedMax) break;
      const served = this.#tryServe(waiting);
      if (served && first) first.passed += 1;
      if (!served) first ??= waiting;
    }
    if (!first || [...this.#threads].some((thread) => thread.ending)) return;
    // Nobody can use what is idle: the place is more useful than the thread.
    const [longestIdle] = this.#idle.keys();
    void longestIdle?.end(null);
  }

  #tryServe(waiting: Waiting): boolean {
    const { isolation } = waiting;
    const warm = [...this.#idle.keys()].findLast(
      (thread) => !thread.ending && fits(thread.isolation, isolation),
    );
    if (!warm && this.#threads.size >= this.#options.threadsMax) return false;
    this.#line.delete(waiting);
    try {
      waiting.take(warm ?? this.#start(isolation));
    } catch (cause) {
      waiting.refuse(
        transient("isolate.start", "No thread could be started for an isolated stage.", { cause }),
      );
    }
    if (warm) this.#leaveIdle(warm);
    return true;
  }

  #start(isolation: Isolation): Thread {
    const thread = new Thread(isolation, this.#options.dyingMs, () => {
      this.#threads.delete(thread);
      this.#leaveIdle(thread);
      this.#serve();
    });
    this.#threads.add(thread);
    return thread;
  }

  #leaveIdle(thread: Thread): void {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
  }
}

const closedFault = () => transient("isolate.closed", "The worker stops, and its isolated stages with it.");

const fits = (a: Isolation, b: Isolation): boolean => a.module === b.module && a.memoryMb === b.memoryMb;

/** What a thread sends; see `isolate-thread.mjs`. */
interface Batch {
  readonly yields: readonly Uint8Array[];
  readonly end: { kind: "done" } | { kind: "thrown"; thrown: Portrayed; broken: boolean } | null;
}

/** A thread for the stages of one module, one attempt at a time. */
class Thread {
  readonly isolation: Isolation;
  /** Working, or of no use any more. */
  busy = false;
  readonly #worker: Worker;
  readonly #dyingMs: number;
  readonly #onGone: () => void;
  readonly #inbox: Batch[] = [];
  #stage = "";
  #lost: { readonly because: unknown } | null = null;
  #ending: Promise<void> | null = null;
  #wake: () => void = () => undefined;

  constructor(isolation: Isolation, dyingMs: number, onGone: () => void) {
    this.isolation = isolation;
    this.#dyingMs = dyingMs;
    this.#onGone = onGone;
    this.#worker = new Worker(new URL("./isolate-thread.mjs", import.meta.url), workerOptions(isolation))
      .on("message", (batch: Batch) => this.#keep(batch))
      .on("error", (error: unknown) => this.#lose(crashFault(this.#stage, isolation, error)))
      .on("exit", (code) => this.#lose(exitFault(this.#stage, code)));
  }

  get ending(): boolean {
    return this.#ending !== null;
  }

  begin({ name: stage }: Stage, input: unknown, given: StageContext): void {
    const { config, attempt, idempotencyKey, correlationId } = given;
    const context = { config, attempt, idempotencyKey, correlationId };
    this.#worker.postMessage({ kind: "run", stage, input, context });
    this.#worker.ref();
    this.#stage = stage;
    this.busy = true;
  }

  /** What the stage has yielded since. Throws when the thread died or was ended. */
  async receive(): Promise<Batch> {
    while (this.#inbox.length === 0 && !this.#lost) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const batch = this.#inbox.shift();
    if (batch) return batch;
    throw this.#lost?.because;
  }

  askForMore(): void {
    this.#worker.postMessage({ kind: "more" });
  }

  /** While it has nothing to do it does not keep the process alive. */
  rest(): void {
    this.#inbox.length = 0;
    this.#worker.unref();
  }

  /** Ends it wherever it is, even in the middle of a loop. */
  end(because: unknown): Promise<void> {
    this.#inbox.length = 0;
    return this.#lose(because);
  }

  #keep(batch: Batch): void {
    if (batch.end) this.busy = batch.end.kind === "thrown" && batch.end.broken;
    this.#inbox.push(batch);
    this.#wake();
  }

  /** What it has sent before can still be received. */
  #lose(because: unknown): Promise<void> {
    this.#lost ??= { because };
    this.#wake();
    this.#ending ??= endOf(this.#worker, this.#dyingMs).then(this.#onGone);
    return this.#ending;
  }
}

async function endOf(worker: Worker, dyingMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, dyingMs);
  });
  await Promise.race([worker.terminate(), patience]);
  clearTimeout(timer);
}

function workerOptions({ module, memoryMb }: Isolation): WorkerOptions {
  const typescript = /\.[cm]?tsx?(?:[?#]|$)/.test(module);
  return {
    name: "headway-isolate",
    workerData: { headwayIsolate: { module, typescript } },
    // New objects have a place of their own, which with the default size would be larger than a small limit.
    resourceLimits: {
      maxOldGenerationSizeMb: memoryMb,
      maxYoungGenerationSizeMb: Math.min(32, memoryMb / 4),
    },
    // Sources import the packages of this repository as sources; anything built gets what the process was given.
    ...(typescript && { execArgv: ["--conditions=@headway/source"] }),
  };
}

function crashFault(stage: string, { memoryMb }: Isolation, error: unknown): StageFault {
  if (readText(error, "code") === "ERR_WORKER_OUT_OF_MEMORY") {
    const message = `Stage "${stage}" needed more than its limit of ${memoryMb} MB; its thread was ended.`;
    return transient("isolate.memory", message);
  }
  const why = readText(error, "message") ?? describe(error);
  return transient("isolate.crash", `Background work of stage "${stage}" ended its thread: ${why}`, {
    cause: error,
  });
}

const exitFault = (stage: string, code: number): StageFault =>
  transient("isolate.exit", `The thread of stage "${stage}" ended by itself with exit code ${code}.`);

/** A thrown value as the thread describes it; see `portray` there. */
interface Portrayed {
  readonly root: Shown;
  readonly portraits: readonly Portrait[];
}
interface Portrait {
  readonly as: "error" | "list" | "object" | "function" | "symbol";
  readonly names: readonly string[];
  readonly fields: readonly (readonly [key: string, value: Shown, enumerable: boolean])[];
}
type Shown = { readonly ref: number } | string | number | bigint | boolean | null | undefined;

/** Makes a value like the one that was thrown, which is then judged as if it had been thrown here. */
function revive({ root, portraits }: Portrayed): unknown {
  const made = portraits.map(shellOf);
  const resolve = (shown: Shown) => (typeof shown === "object" && shown !== null ? made[shown.ref] : shown);
  for (const [at, { fields }] of portraits.entries()) {
    for (const [key, shown, enumerable] of fields) {
      const value = resolve(shown);
      Object.defineProperty(made[at], key, { value, enumerable, writable: true, configurable: true });
    }
  }
  return resolve(root);
}

const nativeErrors = [
  AggregateError,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  Error,
];
const knownClasses = [StageFault, ...nativeErrors, Object];

/** Without its fields yet. A class that is unknown here is replaced by its nearest known ancestor, but keeps its name. */
function shellOf({ as, names }: Portrait) {
  const [name = ""] = names;
  if (as === "symbol") return Symbol(name);
  const namesake = Object.defineProperty(() => undefined, "name", { value: name });
  if (as === "function") return namesake;
  if (as === "list") return [];
  const shell = as === "error" ? new Error() : {};
  // The stack of this place says nothing; that of the thrown one is among its fields.
  Reflect.deleteProperty(shell, "stack");
  const known = names.flatMap((each) => knownClasses.find((one) => one.name === each) ?? [])[0];
  const inherited = known?.prototype ?? null;
  const own =
    known?.name === name ? inherited : Object.create(inherited, { constructor: { value: namesake } });
  return Object.setPrototypeOf(shell, own);
}
