import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { type StageFault, transient } from "../decide/fault.ts";
import { describe, readText } from "../decide/thrown.ts";
import type { Isolation, Stage, StageContext } from "../define/stage.ts";
import { childEnvironment, nodeFlags } from "./flags.ts";
import { type Portrayed, revive } from "./revive.ts";
import { networkWall } from "./walls.ts";

/** Messages of a process; see `process.mjs`. */
type Sent =
  /** The module is loaded, or cannot be, which the first run will say. */
  { readonly kind: "ready" } | Batch | { readonly kind: "crashed"; readonly thrown: Portrayed };

interface Batch {
  readonly kind: "batch";
  readonly yields: readonly Uint8Array[];
  readonly end: { kind: "done" } | { kind: "thrown"; thrown: Portrayed; broken: boolean } | null;
}

/** Facts about the death of a process. */
interface Death {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Found by the watcher or by V8. */
  readonly tooLarge: boolean;
  /** The uncaught error. */
  readonly crashed: Portrayed | null;
  /** The tail of its output. */
  readonly wrote: string;
}

/** `dyingMs`: a killed process goes at once, unless the system itself hangs. `drainMs`: others may hold its pipes open. */
const childLimits = { dyingMs: 5_000, drainMs: 1_000, wroteLengthMax: 8_192 } as const;

/** A process for isolated stages, one attempt at a time. Modules are loaded on first use and stay. */
export class Child {
  readonly isolation: Isolation;
  /** Working, or of no use any more. */
  busy = false;
  readonly #process: ChildProcess;
  readonly #onGone: () => void;
  readonly #exited: Promise<unknown>;
  readonly #startMs: number;
  readonly #inbox: Batch[] = [];
  readonly #loaded = new Set<string>();
  #startTimer: NodeJS.Timeout | undefined;
  #isReady = false;
  #crashed: Portrayed | null = null;
  #stage = "";
  #lost: { readonly because: unknown } | null = null;
  #ending: Promise<void> | null = null;
  #wake: () => void = () => undefined;

  constructor(isolation: Isolation, startMs: number, onGone: () => void) {
    this.isolation = isolation;
    this.#startMs = startMs;
    this.#onGone = onGone;
    this.#process = spawnChild(isolation);
    this.#exited = firstOf(this.#process, "exit", "error");
    this.#listen();
  }

  get ending(): boolean {
    return this.#ending !== null;
  }

  /** Resolves when the stage can begin at once: loading its module is not the stage's time. */
  async ready({ name, isolate }: Stage): Promise<void> {
    this.#stage = name;
    const { module } = isolate as Isolation;
    if (this.#loaded.has(module)) return;
    this.#isReady = false;
    const tooLate = () => void this.#lose(lateFault(module, this.#startMs));
    this.#startTimer = setTimeout(tooLate, this.#startMs).unref();
    this.#send({ kind: "load", module });
    while (!this.#isReady && !this.#lost) await this.#news();
    if (this.#lost) throw this.#lost.because;
    this.#loaded.add(module);
  }

  begin({ name: stage, isolate, looks }: Stage, input: unknown, given: StageContext, lent: unknown): void {
    const { module, makes } = isolate as Isolation;
    const { config, attempt, idempotencyKey, correlationId } = given;
    const looked = looks.map(({ name }) => [name, (given as unknown as Record<string, unknown>)[name]]);
    const context = {
      config,
      attempt,
      idempotencyKey,
      correlationId,
      ...(lent !== undefined && { lent }),
      ...Object.fromEntries(looked),
    };
    this.#send({ kind: "run", module, stage, makes, input, context });
    this.#process.ref();
    this.busy = true;
  }

  /** Yields of the stage since the last call. Throws when the process died or was ended. */
  async receive(): Promise<Batch> {
    while (this.#inbox.length === 0 && !this.#lost) await this.#news();
    const batch = this.#inbox.shift();
    if (batch) return batch;
    throw this.#lost?.because;
  }

  askForMore(): void {
    this.#send({ kind: "more" });
  }

  /** An idle child does not keep the parent process alive. */
  rest(): void {
    this.#inbox.length = 0;
    this.#process.unref();
  }

  /** Kills the process, even in the middle of a loop or deep in native code. */
  end(because: unknown): Promise<void> {
    this.#inbox.length = 0;
    return this.#lose(because);
  }

  #listen(): void {
    const child = this.#process;
    const [, out, error, , lifeline] = child.stdio ?? [];
    let tooLarge = false;
    const grewTooLarge = () => {
      tooLarge = true;
    };
    (lifeline as Socket | undefined)?.on("data", grewTooLarge);
    const tails = [out, error].map((stream) => keepTail(stream as Socket | undefined, grewTooLarge));
    // Only the process itself decides whether this one stays alive, see `rest`.
    for (const stream of child.stdio ?? []) (stream as Socket | null)?.on("error", () => {}).unref();
    child.channel?.unref();
    const drained = Promise.all([firstOf(child, "close"), firstOf(child, "disconnect")]);
    child
      .on("message", (sent: Sent) => this.#hear(sent))
      .on("error", (cause) => void this.#lose(startFault(cause)))
      .on("exit", async (code, signal) => {
        // Messages sent before the death can still be received.
        await within(childLimits.drainMs, drained);
        const wrote = tails.map((tail) => tail()).join("\n");
        const death = { code, signal, tooLarge, crashed: this.#crashed, wrote };
        void this.#lose(deathFault(this.#stage, this.isolation, death));
      });
  }

  #hear(sent: Sent): void {
    switch (sent.kind) {
      case "ready":
        clearTimeout(this.#startTimer);
        this.#isReady = true;
        break;
      case "batch":
        if (sent.end) this.busy = sent.end.kind === "thrown" && sent.end.broken;
        this.#inbox.push(sent);
        break;
      case "crashed":
        this.#crashed = sent.thrown;
    }
    this.#wake();
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Nothing is sent to a dying process; the death tells the rest. */
  #send(order: object): void {
    this.#process.send(order, () => undefined);
  }

  #lose(because: unknown): Promise<void> {
    clearTimeout(this.#startTimer);
    this.#lost ??= { because };
    this.#wake();
    this.#ending ??= this.#kill().then(this.#onGone);
    return this.#ending;
  }

  async #kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#process;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      // With all processes started by the child.
      process.kill(ownGroup ? -pid : pid, "SIGKILL");
    } catch {
      // The process has ended already.
    }
    await within(childLimits.dyingMs, this.#exited);
  }
}

/** A separate process group: Ctrl-C reaches the parent alone, which lets stages finish; processes of the child die with the child. */
const ownGroup = process.platform !== "win32";

function spawnChild(isolation: Isolation): ChildProcess {
  const script = fileURLToPath(new URL("./process.mjs", import.meta.url));
  const wall = isolation.allow.includes("network") ? [] : networkWall();
  const flags = nodeFlags(isolation);
  const [command = "", ...words] = [...wall, process.execPath, ...flags, script, String(isolation.memoryMb)];
  return spawn(command, words, {
    // The last is its lifeline: it ends with this process, however that dies. What a stage prints is not for the
    // terminal: on the death of its process V8 alone writes pages.
    stdio: ["ignore", "pipe", "pipe", "ipc", "pipe"],
    serialization: "advanced",
    env: childEnvironment(isolation),
    detached: ownGroup,
    windowsHide: true,
  });
}

const firstOf = (child: ChildProcess, ...events: readonly string[]): Promise<void> =>
  new Promise((resolve) => {
    for (const event of events) child.once(event, () => resolve());
  });

async function within(patienceMs: number, awaited: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([awaited, patience]);
  clearTimeout(timer);
}

/** V8 writes one line before the abort; the place of the allocation can fill pages after the line. */
const outOfMemory = /^(FATAL ERROR: |# Fatal process ).*out of memory/m;

function keepTail(stream: Socket | undefined, onOutOfMemory: () => void): () => string {
  let tail = "";
  stream?.setEncoding("utf8").on("data", (text: string) => {
    const all = tail + text;
    if (outOfMemory.test(all)) onOutOfMemory();
    tail = all.slice(-childLimits.wroteLengthMax);
  });
  return () => tail;
}

/** Exit code of an abort on platforms without signals. */
const abortedCode = 134;

function deathFault(stage: string, { memoryMb }: Isolation, death: Death): StageFault {
  const { code, signal, tooLarge, crashed, wrote } = death;
  if (tooLarge && (code === null || code === abortedCode)) {
    const message = `Stage "${stage}" needed more than its limit of ${memoryMb} MB; its process was ended.`;
    return transient("isolate.memory", message);
  }
  if (crashed) {
    const cause = revive(crashed);
    const why = readText(cause, "message") ?? describe(cause);
    return transient("isolate.crash", `Background work of stage "${stage}" ended its process: ${why}`, {
      cause,
    });
  }
  const how = signal ? `was ended by ${signal}` : `ended by itself with exit code ${code}`;
  const guess = signal === "SIGKILL" ? ", perhaps because the machine ran out of memory" : "";
  return transient("isolate.exit", `The process of stage "${stage}" ${how}${guess}.`, {
    ...(wrote.trim() && { cause: new Error(`It wrote: ${wrote.trim()}`) }),
  });
}

const startFault = (cause: unknown): StageFault =>
  transient("isolate.start", "No process could be started for an isolated stage.", { cause });

const lateFault = (module: string, startMs: number): StageFault =>
  transient("isolate.start", `The isolated stages of ${module} were not loaded within ${startMs} ms.`);
