import type { Calls } from "../decide/result-facts.ts";
import { correlationId } from "../decide/signal.ts";
import { attemptSpanOf, toTraceparent, traceIdOf } from "../decide/trace.ts";
import type { JsonObject, Stage } from "../define/stage.ts";
import type { Clock } from "./clock.ts";
import type { Item, Tried } from "./item.ts";
import { ServiceCalls } from "./service-calls.ts";

/** A running attempt. Parts that most attempts never need are created on demand. */
export class Running {
  readonly context: object;
  over = false;
  /** Called at the start of the stage's code, if delayed: an isolated stage may have to wait for a process. */
  onBegin: (() => void) | null = null;
  #ended: Promise<Tried> | null = null;
  #resolve: ((tried: Tried) => void) | null = null;
  #abort: AbortController | null = null;
  #reason: Error | null = null;
  #calls: ServiceCalls | null = null;

  constructor(
    stage: Stage,
    items: readonly Item[],
    { services, clock }: { readonly services: Readonly<Record<string, unknown>>; readonly clock: Clock },
  ) {
    const context = new Context(stage, items, this) as Context & Record<string, unknown>;
    for (const { name } of stage.needs) {
      this.#calls ??= new ServiceCalls(() => clock.now().getTime());
      context[name] = this.#calls.watch(name, services[name]);
    }
    for (const { name } of stage.looks) context[name] = lookedOf(stage, name, items);
    this.context = context;
  }

  /** Resolves when the attempt is ended from outside. */
  get ended(): Promise<Tried> {
    this.#ended ??= new Promise((resolve) => {
      this.#resolve = resolve;
    });
    return this.#ended;
  }

  /** A service with an unanswered call. */
  get awaited(): string | undefined {
    return this.#calls?.awaited;
  }

  /** Answered calls to services so far; null: none. */
  get calls(): Calls | null {
    return this.#calls?.answered ?? null;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#reason) this.#abort.abort(this.#reason);
    return this.#abort.signal;
  }

  /** Ends the attempt from outside; later yields of the stage are ignored. */
  end(tried: Tried): void {
    if (this.over) return;
    this.over = true;
    const why = tried.kind === "stopped" ? "The worker stops." : "The time limit is over.";
    this.#reason = new DOMException(why, "AbortError");
    this.#abort?.abort(this.#reason);
    this.#resolve?.(tried);
  }
}

/** The documents of a look-up: of the one task, or of each input of a batch by its id. */
function lookedOf({ shape }: Stage, name: string, items: readonly Item[]): unknown {
  const of = ({ looks }: Item) => looks?.documents[name] ?? [];
  return shape === "batch" ? new Map(items.map((item) => [item.task.id, of(item)])) : of(items[0] as Item);
}

/** The second argument of `run`; services and look-ups are added by name. */
class Context {
  readonly config: JsonObject;
  readonly attempt: number;
  readonly #stage: Stage;
  readonly #items: readonly Item[];
  readonly #running: Running;

  constructor(stage: Stage, items: readonly Item[], running: Running) {
    const { task, attempts, waits } = items[0] as Item;
    this.config = stage.config;
    this.attempt = attempts + waits + task.crashes + 1;
    this.#stage = stage;
    this.#items = items;
    this.#running = running;
  }

  get signal(): AbortSignal {
    return this.#running.signal;
  }

  get correlationId(): string {
    return correlationId((this.#items[0] as Item).task.request, this.#stage.name, this.attempt - 1);
  }

  get traceparent(): string {
    const { id, request } = (this.#items[0] as Item).task;
    const spanId = attemptSpanOf(this.correlationId, id);
    return toTraceparent({ traceId: traceIdOf(request), spanId });
  }

  get idempotencyKey(): string {
    const [first] = this.#items as readonly [Item];
    if (this.#items.length === 1)
      return `${this.#stage.name}/${first.task.id}/${first.marker.toString("hex")}`;
    return `${this.#stage.name}/${this.#items.map((item) => item.marker.toString("hex").slice(0, 16)).join("/")}`;
  }
}
