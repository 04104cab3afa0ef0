import { permanent, transient } from "../decide/fault.ts";
import { correlationId, type Emit } from "../decide/signal.ts";
import type { DocumentDraft } from "../define/collection.ts";
import type { Stage } from "../define/stage.ts";
import type { ClaimedTask } from "../store/claims.ts";
import type { MemberRow } from "../store/groups.ts";
import { yieldedTwice } from "../store/outputs.ts";
import type { Clock } from "./clock.ts";
import type { Graph, PlannedStage } from "./graph.ts";
import type { Isolates } from "./isolate.ts";
import { type PreparedDocument, prepare } from "./prepare.ts";

/** A task that is going to be worked on, with what its result will be known by. */
export interface Item {
  readonly task: ClaimedTask;
  readonly inputHash: Buffer;
  readonly marker: Buffer;
  /** The members, if it is a group. */
  readonly members: readonly MemberRow[] | null;
  /** Tries so far, this one not counted; grows with retries in place. */
  readonly attempts: number;
  readonly waits: number;
}

/** How one try ended. `outputs` holds what has not been committed in parts yet, by subject. */
export type Tried =
  | {
      readonly kind: "succeeded";
      readonly outputs: ReadonlyMap<number, PreparedDocument[]>;
      readonly streamed: boolean;
    }
  | { readonly kind: "failed"; readonly thrown: unknown }
  | { readonly kind: "stopped" }
  /** The claim was lost in the middle of a stream: nothing that follows may be written. */
  | { readonly kind: "refused" };

export interface AttemptParts {
  readonly graph: Graph;
  readonly clock: Clock;
  readonly services: Readonly<Record<string, unknown>>;
  readonly isolates: Isolates;
  readonly emit: Emit;
  /** Attempts that are running, so that a shutdown can end them. */
  readonly running: Set<Running>;
  readonly streamDocuments: number;
  readonly streamBytes: number;
  /** Commits a part of a long stream; false: the claim is gone. */
  readonly commitPart: (item: Item, outputs: readonly PreparedDocument[]) => Promise<boolean>;
}

/** One try of a stage on one unit of work: a document, a batch or a group. Never throws. */
export async function attempt(
  plan: PlannedStage,
  items: readonly Item[],
  parts: AttemptParts,
): Promise<Tried> {
  const running = new Running(plan.stage, items, parts);
  parts.running.add(running);
  const cancelTimer = parts.clock.after(plan.stage.timeoutMs, () => running.end(timedOut(plan.stage)));
  try {
    return await Promise.race([consume(plan, items, parts, running), running.ended]);
  } catch (thrown) {
    return { kind: "failed", thrown };
  } finally {
    cancelTimer();
    running.over = true;
    parts.running.delete(running);
  }
}

const timedOut = (stage: Stage): Tried => ({
  kind: "failed",
  thrown: transient(
    "stage.timeout",
    `Stage "${stage.name}" did not finish within its limit of ${stage.timeoutMs} ms.`,
  ),
});

/** An attempt under way, and what `run` is given beside its input. */
export class Running {
  readonly ended: Promise<Tried>;
  readonly context: object;
  over = false;
  #resolve: (tried: Tried) => void = () => undefined;
  #abort: AbortController | null = null;
  #reason: Error | null = null;

  constructor(stage: Stage, items: readonly Item[], parts: Pick<AttemptParts, "services">) {
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.context = makeContext(stage, items, parts.services, this);
  }

  /** Made when somebody asks: most stages never do. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#reason) this.#abort.abort(this.#reason);
    return this.#abort.signal;
  }

  /** Ends the attempt from outside; whatever the stage still yields is ignored. */
  end(tried: Tried): void {
    if (this.over) return;
    this.over = true;
    this.#reason = new DOMException(
      tried.kind === "stopped" ? "The worker stops." : "The time limit is over.",
      "AbortError",
    );
    this.#abort?.abort(this.#reason);
    this.#resolve(tried);
  }
}

function makeContext(
  stage: Stage,
  items: readonly Item[],
  services: Readonly<Record<string, unknown>>,
  running: Running,
): object {
  const [{ task, marker, attempts, waits }] = items as readonly [Item];
  const context: Record<string, unknown> = {
    config: stage.config,
    attempt: attempts + waits + task.crashes + 1,
    idempotencyKey:
      items.length === 1
        ? `${stage.name}/${task.id}/${marker.toString("hex")}`
        : `${stage.name}/${items.map((item) => item.marker.toString("hex").slice(0, 16)).join("/")}`,
    correlationId: correlationId(task.request, stage.name, attempts + waits + task.crashes),
  };
  for (const { name } of stage.needs) context[name] = services[name];
  Object.defineProperty(context, "signal", { get: () => running.signal, enumerable: true });
  return context;
}

/** Reads what the stage yields, and commits in parts what becomes too much to hold. */
async function consume(
  plan: PlannedStage,
  items: readonly Item[],
  parts: AttemptParts,
  running: Running,
): Promise<Tried> {
  const { stage } = plan;
  const inputs = inputsOf(stage, items);
  const collected = new Collected(plan, items, parts);
  const yields = stage.isolate
    ? parts.isolates.run(stage, inputs.given, running)
    : stage.run(inputs.given, running.context);
  if (yields === null || yields === undefined) {
    throw permanent(
      "stage.yields-nothing",
      `Stage "${stage.name}" returned nothing to iterate; its run must be a generator.`,
    );
  }
  if (Symbol.iterator in yields) {
    for (const one of yields) {
      const added = collected.add(inputs.itemOf(one), inputs.draftOf(one));
      if (added) await added;
      if (collected.full && !(await collected.flush())) return { kind: "refused" };
      if (running.over) return { kind: "stopped" };
    }
  } else {
    for await (const one of yields) {
      if (running.over) return { kind: "stopped" };
      const added = collected.add(inputs.itemOf(one), inputs.draftOf(one));
      if (added) await added;
      if (collected.full && !(await collected.flush())) return { kind: "refused" };
    }
  }
  return { kind: "succeeded", outputs: collected.outputs, streamed: collected.streamed };
}

interface Inputs {
  readonly given: unknown;
  itemOf(yielded: unknown): Item;
  draftOf(yielded: unknown): DocumentDraft | undefined;
}

/** What `run` is called with, and how what it yields finds its way back to the task it is for. */
function inputsOf(stage: Stage, items: readonly Item[]): Inputs {
  const first = items[0] as Item;
  const one = { itemOf: () => first, draftOf: (yielded: unknown) => yielded as DocumentDraft };
  if (stage.shape === "fan-in") {
    const documents = (first.members ?? []).map((member) => ({ ...member.body, id: member.id }));
    return { given: { key: first.task.id, documents }, ...one };
  }
  if (stage.shape === "single") return { given: { ...first.task.body, id: first.task.id }, ...one };
  const byId = new Map(items.map((item) => [item.task.id, item]));
  return {
    given: items.map((item) => ({ ...item.task.body, id: item.task.id })),
    itemOf(yielded) {
      const id = Array.isArray(yielded) ? (yielded[0] as { id?: unknown } | undefined)?.id : undefined;
      const item = byId.get(id as string);
      if (!item)
        throw permanent(
          "batch.stray",
          `Stage "${stage.name}" yielded something for "${String(id)}", which was not in its batch; yield [input, output].`,
        );
      return item;
    },
    draftOf: (yielded) => (yielded as readonly [unknown, DocumentDraft?])[1],
  };
}

/** What a stage has yielded and is not committed yet. */
class Collected {
  readonly outputs = new Map<number, PreparedDocument[]>();
  streamed = false;
  readonly #plan: PlannedStage;
  readonly #items: readonly Item[];
  readonly #parts: AttemptParts;
  readonly #seen = new Map<string, Buffer>();
  #documents = 0;
  #bytes = 0;

  constructor(plan: PlannedStage, items: readonly Item[], parts: AttemptParts) {
    this.#plan = plan;
    this.#items = items;
    this.#parts = parts;
    // In a batch an input that nothing was yielded for was forgotten; elsewhere it simply has no outputs.
    if (plan.stage.shape !== "batch") this.outputs.set((items[0] as Item).task.subject, []);
  }

  /** True when it is time to commit a part; only a lone task can be a stream. */
  get full(): boolean {
    const { streamDocuments, streamBytes } = this.#parts;
    return this.#items.length === 1 && (this.#documents >= streamDocuments || this.#bytes >= streamBytes);
  }

  add(item: Item, draft: DocumentDraft | undefined): Promise<void> | undefined {
    const list = this.outputs.get(item.task.subject) ?? [];
    this.outputs.set(item.task.subject, list);
    if (draft === undefined || draft === null) {
      if (this.#plan.stage.shape === "batch") return undefined;
      throw this.#notADocument(draft);
    }
    if (typeof draft !== "object" || typeof draft.collection !== "string") throw this.#notADocument(draft);
    if (!this.#plan.stage.writes.some((collection) => collection.name === draft.collection)) {
      throw permanent(
        "output.undeclared",
        `Stage "${this.#plan.stage.name}" yielded a document of "${draft.collection}", which it does not say it writes.`,
      );
    }
    const prepared = prepare(draft, this.#parts.graph.collection(draft.collection));
    if (prepared instanceof Promise)
      return prepared.then((document) => this.#keep(list, draft.collection, document));
    this.#keep(list, draft.collection, prepared);
    return undefined;
  }

  /** Commits what there is and goes on; false: the claim is gone. */
  async flush(): Promise<boolean> {
    const item = this.#items[0] as Item;
    const outputs = this.outputs.get(item.task.subject) ?? [];
    this.outputs.set(item.task.subject, []);
    this.#seen.clear();
    this.#documents = 0;
    this.#bytes = 0;
    this.streamed = true;
    return await this.#parts.commitPart(item, outputs);
  }

  #notADocument(found: unknown) {
    return permanent(
      "output.not-a-document",
      `Stage "${this.#plan.stage.name}" yielded ${found === null ? "null" : typeof found}; yield what a collection's document() returns.`,
    );
  }

  #keep(list: PreparedDocument[], collection: string, document: PreparedDocument): void {
    const key = `${document.collection}/${document.id}`;
    const before = this.#seen.get(key);
    if (before) {
      if (before.equals(document.hash)) return;
      throw yieldedTwice(document.id);
    }
    this.#seen.set(key, document.hash);
    list.push(document);
    this.#documents += 1;
    this.#bytes += document.json.length;
    if (document.replaced > 0) {
      this.#parts.emit({
        kind: "document.normalised",
        collection,
        documentId: document.id,
        replaced: document.replaced,
      });
    }
  }
}
