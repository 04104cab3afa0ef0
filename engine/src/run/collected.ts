import { permanent } from "../decide/fault.ts";
import type { Emit } from "../decide/signal.ts";
import type { DocumentDraft } from "../define/collection.ts";
import { yieldedTwice } from "../store/outputs.ts";
import type { Graph, PlannedStage } from "./graph.ts";
import type { Item } from "./item.ts";
import { type PreparedDocument, prepare } from "./prepare.ts";

export interface CollectParts {
  readonly graph: Graph;
  readonly emit: Emit;
  readonly streamDocuments: number;
  readonly streamBytes: number;
  /** Commits a part of a long stream; false: the claim is gone. */
  readonly commitPart: (item: Item, outputs: readonly PreparedDocument[]) => Promise<boolean>;
}

/** Yielded and uncommitted outputs of a stage. */
export class Collected {
  /** By subject. In a batch an input without an entry was forgotten; elsewhere there are simply no outputs. */
  readonly outputs = new Map<number, PreparedDocument[]>();
  streamed = false;
  /** The same as yielded, for a stage whose expectation is a function. */
  readonly drafts: Map<number, DocumentDraft[]> | null;
  readonly #plan: PlannedStage;
  readonly #alone: Item | null;
  readonly #byId: ReadonlyMap<unknown, Item> | null;
  readonly #parts: CollectParts;
  #seen: Map<string, Buffer> | null = null;
  #first: PreparedDocument | null = null;
  #documents = 0;
  #bytes = 0;

  constructor(plan: PlannedStage, items: readonly Item[], parts: CollectParts) {
    this.#plan = plan;
    this.#parts = parts;
    this.drafts = typeof plan.stage.expects === "function" ? new Map() : null;
    this.#alone = items.length === 1 ? (items[0] as Item) : null;
    const batch = plan.stage.shape === "batch";
    this.#byId = batch ? new Map(items.map((item) => [item.task.id, item])) : null;
    if (!batch) this.outputs.set((items[0] as Item).task.subject, []);
  }

  /** True when a part should be committed; only a lone task can be a stream. */
  get full(): boolean {
    if (this.#alone === null) return false;
    return this.#documents >= this.#parts.streamDocuments || this.#bytes >= this.#parts.streamBytes;
  }

  /** The member of the batch named by the stage. */
  itemOf(id: unknown): Item | undefined {
    return this.#byId?.get(id);
  }

  add(item: Item, draft: DocumentDraft | undefined): Promise<void> | undefined {
    let list = this.outputs.get(item.task.subject);
    if (list === undefined) {
      list = [];
      this.outputs.set(item.task.subject, list);
    }
    const { stage } = this.#plan;
    if (draft === undefined && stage.shape === "batch") return undefined;
    if (draft === null || typeof draft !== "object" || typeof draft.collection !== "string") {
      throw permanent(
        "output.not-a-document",
        `Stage "${stage.name}" yielded ${draft === null ? "null" : typeof draft}; yield what a collection's document() returns.`,
      );
    }
    if (!stage.writes.some((collection) => collection.name === draft.collection)) {
      throw permanent(
        "output.undeclared",
        `Stage "${stage.name}" yielded a document of "${draft.collection}", which it does not say it writes.`,
      );
    }
    if (this.drafts) this.#keepDraft(item, draft);
    const prepared = prepare(draft, this.#parts.graph.collection(draft.collection));
    if (prepared instanceof Promise) return this.#keepLater(list, draft.collection, prepared);
    this.#keep(list, draft.collection, prepared);
    return undefined;
  }

  /** Commits the current part; false: the claim is gone. */
  async flush(): Promise<boolean> {
    const item = this.#alone as Item;
    const outputs = this.outputs.get(item.task.subject) ?? [];
    this.outputs.set(item.task.subject, []);
    this.drafts?.clear();
    this.#seen = null;
    this.#first = null;
    this.#documents = 0;
    this.#bytes = 0;
    this.streamed = true;
    return await this.#parts.commitPart(item, outputs);
  }

  #keepDraft({ task: { subject } }: Item, draft: DocumentDraft): void {
    const known = this.drafts?.get(subject);
    if (known) known.push(draft);
    else this.drafts?.set(subject, [draft]);
  }

  async #keepLater(list: PreparedDocument[], collection: string, prepared: Promise<PreparedDocument>) {
    this.#keep(list, collection, await prepared);
  }

  #keep(list: PreparedDocument[], collection: string, document: PreparedDocument): void {
    if (this.#isKnown(document)) return;
    list.push(document);
    this.#documents += 1;
    this.#bytes += document.json.length;
    if (document.replaced > 0) {
      const { id: documentId, replaced } = document;
      this.#parts.emit({ kind: "document.normalised", collection, documentId, replaced });
    }
  }

  /** Within one run an id has one content: repeated content is ignored, different content is a mistake. */
  #isKnown(document: PreparedDocument): boolean {
    if (this.#first === null) {
      this.#first = document;
      return false;
    }
    this.#seen ??= new Map([[keyOf(this.#first), this.#first.hash]]);
    const key = keyOf(document);
    const before = this.#seen.get(key);
    if (before && !before.equals(document.hash)) throw yieldedTwice(document.id);
    this.#seen.set(key, document.hash);
    return before !== undefined;
  }
}

const keyOf = (document: PreparedDocument): string => `${document.collection}/${document.id}`;
