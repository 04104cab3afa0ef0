import { classify } from "../decide/classify.ts";
import type { Fault } from "../decide/fault.ts";
import { toRequestId } from "../decide/request-id.ts";
import type { Emit } from "../decide/signal.ts";
import type { DocumentDraft } from "../define/collection.ts";
import type { Accept, AcceptedDocuments } from "../store/accept.ts";
import { type Database, isConnectionError } from "../store/database.ts";
import type { Numbers } from "../store/numbers.ts";
import { registerSource } from "../store/registry.ts";
import type { Store } from "../store/store.ts";
import { type Clock, sleep } from "./clock.ts";
import type { Graph } from "./graph.ts";
import { type PreparedDocument, prepare } from "./prepare.ts";
import type { RunningWorker } from "./worker.ts";

/** Options of `engine.accept`. */
export interface AcceptOptions {
  /** Origin of the documents. The same id from another source with other content is a conflict. */
  readonly source?: string;
  /** Higher priority goes first, at every stage. */
  readonly priority?: number;
  /** A uuid for tracing all consequences; generated if missing. */
  readonly request?: string;
  /** The caller's span as W3C trace context; the trace of these documents links to it. */
  readonly traceparent?: string;
}

/** Outcome of accepting documents. */
export interface Accepted {
  /** The uuid under which all consequences can be traced. */
  readonly request: string;
  /** New documents. */
  readonly inserted: number;
  /** Documents with other content than before. */
  readonly changed: number;
  /** Documents with the same content as before. */
  readonly unchanged: number;
  /** Ids with other content from another source; the stored documents stand. */
  readonly conflicts: readonly string[];
  /** Refused documents, with the fault. */
  readonly refused: readonly { readonly id: string; readonly fault: Fault }[];
}

export interface AcceptParts {
  readonly db: Database;
  readonly store: Store;
  readonly clock: Clock;
  readonly graph: Graph;
  readonly numbers: Numbers;
  readonly emit: Emit;
  readonly wake: (stages: readonly number[], tasks: number) => void;
  /** Lets a worker of this process claim documents in the accepting statement; omitted: no worker here. */
  readonly reserve?: RunningWorker["reserve"];
  /** The span of the process's caller, for calls without one of their own. */
  readonly traceparent?: string | undefined;
}

export type AcceptDocuments = (
  given: DocumentDraft | readonly DocumentDraft[],
  options?: AcceptOptions,
) => Promise<Accepted>;

const pageSize = 500;
const triesMax = 10;

/** Accepts documents, page by page. A single unacceptable document is an error; among many it is reported. */
export function makeAccept(parts: AcceptParts): AcceptDocuments {
  const { db, clock } = parts;
  const sources = new Map<string, number>();
  /** The last documents were new, so the next most likely are. */
  let hopeful = true;

  async function sourceNumber(name: string): Promise<number> {
    const known = sources.get(name) ?? (await registerSource(db, name, clock.now()));
    sources.set(name, known);
    return known;
  }
  return async (given, options = {}) => {
    const startedAt = clock.now().getTime();
    const drafts = Array.isArray(given) ? (given as readonly DocumentDraft[]) : [given as DocumentDraft];
    const request = options.request ?? toRequestId(clock.uuid(), clock.now());
    const source = await sourceNumber(options.source ?? "default");
    const rank = 0 - Math.max(-1_000, Math.min(1_000, Math.trunc(options.priority ?? 0)));
    const total = {
      request,
      inserted: 0,
      changed: 0,
      unchanged: 0,
      conflicts: [] as string[],
      refused: [] as { id: string; fault: Fault }[],
    };
    let begun = 0;
    for (let start = 0; start < drafts.length; start += pageSize) {
      const page = drafts.slice(start, start + pageSize);
      const { documents, refused } = await prepareAll(parts, page, drafts.length === 1);
      total.refused.push(...refused);
      if (documents.length === 0) continue;
      const written = await write(parts, { source, documents, request, rank, hopeful });
      hopeful = written.inserted === documents.length;
      total.inserted += written.inserted;
      total.changed += written.updated;
      total.unchanged += written.kept;
      total.conflicts.push(...written.conflicts.map((one) => one.id));
      begun += written.claim?.tasks.length ?? 0;
    }
    const traceparent = options.traceparent ?? parts.traceparent;
    const durationMs = clock.now().getTime() - startedAt;
    tell(parts, drafts, total, { begun, durationMs, ...(traceparent !== undefined && { traceparent }) });
    return total;
  };
}

async function prepareAll(
  { graph, emit }: AcceptParts,
  drafts: readonly DocumentDraft[],
  alone: boolean,
): Promise<{ documents: PreparedDocument[]; refused: { id: string; fault: Fault }[] }> {
  const documents = new Map<string, PreparedDocument>();
  const refused: { id: string; fault: Fault }[] = [];
  for (const draft of drafts) {
    try {
      const document = await prepare(draft, graph.collection(draft.collection));
      // The same id twice in one call: the later document wins.
      documents.set(`${document.collection}/${document.id}`, document);
      if (document.replaced > 0) {
        emit({
          kind: "document.normalised",
          collection: draft.collection,
          documentId: draft.id,
          replaced: document.replaced,
        });
      }
    } catch (error) {
      if (alone) throw error;
      refused.push({ id: String(draft?.id), fault: classify(error) });
    }
  }
  return { documents: [...documents.values()], refused };
}

type Page = Pick<Accept, "source" | "documents" | "request" | "rank" | "hopeful">;

/** Writes a page; if all documents have one stage, idle in this process, the claim comes with the acceptance. */
async function write(parts: AcceptParts, page: Page): Promise<AcceptedDocuments> {
  const stage = page.hopeful ? onlyReader(parts.graph, page.documents) : null;
  const reserved = stage === null ? null : parts.reserve?.(stage, page.documents.length);
  if (!reserved || stage === null) return await tryAgain(parts, page, null);
  try {
    const written = await tryAgain(parts, page, { worker: reserved.worker, stage });
    if (written.claim) reserved.begin(written.claim);
    else reserved.drop(false);
    return written;
  } catch (error) {
    reserved.drop(isConnectionError(error));
    throw error;
  }
}

/** The only stage that reads all of these documents. */
function onlyReader({ flow }: Graph, documents: Page["documents"]): number | null {
  const collection = documents[0]?.collection as number;
  const readers = flow.readers.get(collection) ?? [];
  const alike = documents.every((one) => one.collection === collection);
  return alike && readers.length === 1 ? (readers[0] as number) : null;
}

async function tryAgain(
  { db, store, clock, graph, numbers }: AcceptParts,
  page: Page,
  keen: NonNullable<Accept["keen"]> | null,
): Promise<AcceptedDocuments> {
  for (let tries = 1; ; tries++) {
    try {
      return await store.acceptDocuments(db, { ...page, keen, now: clock.now(), flow: graph.flow, numbers });
    } catch (error) {
      const code = String((error as { code?: unknown }).code);
      // A concurrent writer had the same documents: after its commit, a comparison is possible.
      if (isConnectionError(error) || !["23505", "40P01", "40001"].includes(code) || tries >= triesMax)
        throw error;
      await sleep(clock, tries * 5 * clock.random());
    }
  }
}

function tell(
  { graph, emit, wake }: AcceptParts,
  drafts: readonly DocumentDraft[],
  total: Accepted,
  { begun, ...call }: { readonly begun: number; readonly durationMs: number; readonly traceparent?: string },
): void {
  const { request, inserted, changed, unchanged, conflicts } = total;
  const names = [...new Set(drafts.map((draft) => draft.collection))];
  emit({
    kind: "documents.accepted",
    collection: names.join(", "),
    request,
    inserted,
    changed,
    unchanged,
    conflicts: conflicts.length,
    ...call,
  });
  // With all documents claimed here, no notification is needed.
  if (begun === inserted + changed) return;
  const known = graph.collections.filter((one) => names.includes(one.collection.name));
  wake(
    known.flatMap((one) => [
      ...(graph.flow.readers.get(one.number) ?? []),
      ...one.collectors.map((each) => each.stage),
    ]),
    inserted + changed,
  );
}
