import { checkSpec, reserved } from "./check-stage.ts";
import { type AnyCollection, checkName, type DocumentOf, type DraftOf } from "./collection.ts";
import { type Duration, durationMs } from "./duration.ts";
import { checkExpects, type Expects } from "./expects.ts";
import type { Instead } from "./instead.ts";
import {
  type DeclaredLook,
  declareLooks,
  type Looked,
  type LookedByInput,
  type Looks,
  type LooksInto,
  type LooksSpec,
} from "./look-up.ts";
import { type RetryPolicies, type RetrySpec, retryPolicies } from "./retry.ts";
import type { Service, ServicesOf } from "./service.ts";
import { timeoutDefault } from "./stage-settings.ts";

/**
 * Declares a stage: given one document, it yields the documents that should now exist. `run` is handed nothing to retry,
 * lock, mark, publish or alert with; the engine does all of that, in one transaction.
 *
 * @example
 * import { collection, stage } from "@headway/engine";
 * import { z } from "zod";
 *
 * const letters = collection("letters", z.object({ text: z.string() }));
 * const sizes = collection("sizes", z.object({ words: z.number() }));
 * export const counting = stage("counting", {
 *   reads: letters,
 *   writes: [sizes],
 *   *run(letter) {
 *     yield sizes.document(letter.id, { words: letter.text.split(" ").length });
 *   },
 * });
 */
export function stage<
  Reads extends AnyCollection,
  const Writes extends readonly AnyCollection[],
  const Needs extends readonly Service[] = readonly [],
  const Config extends JsonObject = Record<never, never>,
  L extends Looks = Record<never, never>,
>(
  name: string,
  spec: SingleSpec<Reads, Writes, Needs, Config, L>,
): Stage<Needs, Reads | Writes[number] | LooksInto<L>> {
  return makeStage(name, "single", spec) as Stage<Needs, Reads | Writes[number] | LooksInto<L>>;
}

/**
 * Declares a stage that is given many documents at once, e.g. to ask a model for all of them in one call. Each output is
 * yielded with the input it came from.
 *
 * @example
 * import { batchStage, collection, service } from "@headway/engine";
 * import { z } from "zod";
 *
 * const chunks = collection("chunks", z.object({ text: z.string() }));
 * const vectors = collection("vectors", z.object({ vector: z.array(z.number()) }));
 * const embedder = service("embedder").as<{ embed(texts: readonly string[]): Promise<number[][]> }>();
 * export const embedding = batchStage("embedding", {
 *   reads: chunks,
 *   writes: [vectors],
 *   batch: 64,
 *   needs: [embedder],
 *   async *run(batch, { embedder }) {
 *     const found = await embedder.embed(batch.map((chunk) => chunk.text));
 *     for (const [index, chunk] of batch.entries())
 *       yield [chunk, vectors.document(chunk.id, { vector: found[index] ?? [] })];
 *   },
 * });
 */
export function batchStage<
  Reads extends AnyCollection,
  const Writes extends readonly AnyCollection[],
  const Needs extends readonly Service[] = readonly [],
  const Config extends JsonObject = Record<never, never>,
  L extends Looks = Record<never, never>,
>(
  name: string,
  spec: BatchSpec<Reads, Writes, Needs, Config, L>,
): Stage<Needs, Reads | Writes[number] | LooksInto<L>> {
  return makeStage(name, "batch", spec) as Stage<Needs, Reads | Writes[number] | LooksInto<L>>;
}

/**
 * Declares a fan-in stage: given all documents of one group, it yields the documents that should now exist. A document
 * that joins, changes or leaves the group owes the stage again.
 *
 * @example
 * import { collection, groupStage } from "@headway/engine";
 * import { z } from "zod";
 *
 * const lines = collection("lines", z.object({ order: z.string(), price: z.number() }));
 * const invoices = collection("invoices", z.object({ total: z.number() }));
 * export const invoicing = groupStage("invoicing", {
 *   reads: lines,
 *   writes: [invoices],
 *   per: (line) => line.order,
 *   quiet: "30s",
 *   *run({ key, documents }) {
 *     yield invoices.document(key, { total: documents.reduce((sum, line) => sum + line.price, 0) });
 *   },
 * });
 */
export function groupStage<
  Reads extends AnyCollection,
  const Writes extends readonly AnyCollection[],
  const Needs extends readonly Service[] = readonly [],
  const Config extends JsonObject = Record<never, never>,
  L extends Looks = Record<never, never>,
>(
  name: string,
  spec: GroupSpec<Reads, Writes, Needs, Config, L>,
): Stage<Needs, Reads | Writes[number] | LooksInto<L>> {
  return makeStage(name, "fan-in", spec) as Stage<Needs, Reads | Writes[number] | LooksInto<L>>;
}

function makeStage(name: string, shape: Stage["shape"], spec: AnySpec): Stage {
  checkName("stage", name);
  checkSpec(name, shape, spec);
  checkExpects(name, spec.expects, spec.writes);
  // biome-ignore lint/suspicious/noExplicitAny: the types were checked by the three doors.
  const group = shape === "fan-in" ? (spec as GroupSpec<any, any, any, any, any>) : null;
  return Object.freeze({
    name,
    shape,
    reads: spec.reads,
    writes: spec.writes,
    needs: spec.needs ?? [],
    looks: declareLooks(name, spec.looks, [
      ...reserved,
      ...(spec.needs ?? []).map((one: Service) => one.name),
    ]),
    announces: spec.announces ?? {},
    version: spec.version ?? "1",
    config: spec.config ?? {},
    model: spec.model ?? "",
    retry: retryPolicies(spec.retry),
    timeoutMs: durationMs(spec.timeout ?? timeoutDefault),
    concurrency: spec.concurrency ?? null,
    rate: spec.rate ? { limit: spec.rate.limit, perMs: durationMs(spec.rate.per) } : null,
    priority: spec.priority ?? 0,
    batch: shape === "batch" ? ((spec as { batch?: number }).batch ?? 1) : 1,
    per: group?.per ?? null,
    after: group?.after ?? [],
    quietMs: durationMs(group?.quiet ?? "0s"),
    incomplete: group?.incomplete ?? "proceed",
    madeOf: group?.madeOf ?? "all",
    isolate: spec.isolate ? { memoryMb: 512, env: [], allow: [], makes: [], ...spec.isolate } : null,
    classify: spec.classify ?? null,
    expects: (spec.expects ?? null) as Stage["expects"],
    run: spec.run as Stage["run"],
  });
}

/** A stage as the engine sees it; made by `stage`, `batchStage` and `groupStage`. */
export interface Stage<
  Needs extends readonly Service[] = readonly Service[],
  Touches extends AnyCollection = AnyCollection,
> {
  readonly name: string;
  readonly shape: "single" | "batch" | "fan-in";
  readonly reads: Touches;
  readonly writes: readonly Touches[];
  readonly needs: Needs;
  /** By name. */
  readonly looks: readonly DeclaredLook[];
  readonly announces: Announcements;
  readonly version: string;
  readonly config: JsonObject;
  readonly model: string;
  readonly retry: RetryPolicies;
  readonly timeoutMs: number;
  readonly concurrency: number | null;
  readonly rate: { readonly limit: number; readonly perMs: number } | null;
  readonly priority: number;
  readonly batch: number;
  // biome-ignore lint/suspicious/noExplicitAny: the document's type is known to the author only.
  readonly per: ((document: any) => string) | null;
  readonly after: readonly Stage[];
  readonly quietMs: number;
  readonly incomplete: "proceed" | "wait";
  readonly madeOf: string;
  readonly isolate: Isolation | null;
  readonly classify: ClassifyThrown | null;
  // biome-ignore lint/suspicious/noExplicitAny: input and outputs are checked where the stage is declared.
  readonly expects: Expects<any, any> | null;
  // biome-ignore lint/suspicious/noExplicitAny: input and services are checked where the stage is declared.
  readonly run: (input: any, context: any) => Yields<unknown>;
}

/** Options that all kinds of stages have. */
export interface CommonSpec<Reads, Writes, Needs extends readonly Service[], Config> {
  /** The collection whose documents the stage is given. */
  readonly reads: Reads;
  /** The collections it may yield documents of; `[]` for a stage that only calls a service. */
  readonly writes: Writes;
  /** Services handed to `run`; while one of them is down nothing is claimed and no attempt is burnt. */
  readonly needs?: Needs;
  /** Events told to the outside world, in the transaction of the result. */
  readonly announces?: Announcements;
  /** Change it when the code would now yield something else; earlier results then count as stale. */
  readonly version?: string;
  /** Settings that shape the result; part of the completion marker, handed to `run` as `config`. */
  readonly config?: Config;
  /** The model behind the result; part of the completion marker. */
  readonly model?: string;
  /** How often and after which pauses a failed attempt is repeated, by kind of fault. */
  readonly retry?: RetrySpec;
  /**
   * How long one attempt may take.
   * @default "10m"
   */
  readonly timeout?: Duration;
  /** At most so many documents at a time, over all workers together. */
  readonly concurrency?: number;
  /** At most so many documents per period, over all workers together. */
  readonly rate?: { readonly limit: number; readonly per: Duration };
  /** Larger goes first. */
  readonly priority?: number;
  /**
   * Runs `run` in a process that can be killed: for code that may spin or explode. `module` is `import.meta.url`, and
   * exports the stage; `memoryMb` (512) is the limit of its heap, buffers may take 256 MB beside it. There are as many
   * processes as cores (HEADWAY_CORES), so isolation is also the way to use every core. A service cannot cross into that
   * process: the module makes it there (`makes`), or `lend` asks it in the engine's process, and the answer, plain data
   * or the path of a file, is `lent` in the context of `run`.
   */
  readonly isolate?: {
    readonly module: string;
    readonly memoryMb?: number;
    // biome-ignore lint/suspicious/noExplicitAny: the input of each of the three shapes.
    readonly lend?: (input: any, services: StageContext<Config> & ServicesOf<Needs>) => Promise<unknown>;
    /** Names of `needs` that the module's export `services`, a function, returns in the process; called once in each. */
    readonly makes?: readonly Needs[number]["name"][];
    /** Names of environment variables for the process, besides variables of the system: a secret is there only if named. */
    readonly env?: readonly string[];
    /** What the process may do although it is walled in where the platform can: use the network, write files and start programs. */
    readonly allow?: readonly ("network" | "writing")[];
  };
  /** A word on thrown values that only this stage understands; undefined leaves it to the engine. */
  readonly classify?: ClassifyThrown;
}

export interface SingleSpec<
  Reads,
  Writes extends readonly AnyCollection[],
  Needs extends readonly Service[],
  Config,
  L extends Looks,
> extends CommonSpec<Reads, Writes, Needs, Config> {
  /** Further documents read by `run`, by name. A change of such a document owes the stage again. */
  readonly looks?: LooksSpec<DocumentOf<Reads>, L>;
  /** The expectation of a result; another result is a finding for people, not a silent success. */
  readonly expects?: Expects<DocumentOf<Reads>, DraftOf<Writes[number]>>;
  readonly batch?: Instead<"declare it by batchStage(), whose run is given many documents">;
  readonly per?: Instead<"declare it by groupStage(), whose run is given all documents of a group">;
  readonly quiet?: Instead<"declare it by groupStage(): only groups have a quiet time">;
  readonly after?: Instead<"declare it by groupStage(): only groups wait for other stages">;
  run(
    document: DocumentOf<Reads>,
    context: Context<Needs, Config> & Looked<L>,
  ): Yields<DraftOf<Writes[number]>>;
}

export interface BatchSpec<
  Reads,
  Writes extends readonly AnyCollection[],
  Needs extends readonly Service[],
  Config,
  L extends Looks,
> extends CommonSpec<Reads, Writes, Needs, Config> {
  /** Further documents read by `run`, by name and for each input by id. A change of such a document owes the stage again. */
  readonly looks?: LooksSpec<DocumentOf<Reads>, L>;
  /** How many documents `run` gets at most. If it fails the batch is halved until the culprit is alone. */
  readonly batch: number;
  /** The expectation of each input's result; another result is a finding for people, not a silent success. */
  readonly expects?: Expects<DocumentOf<Reads>, DraftOf<Writes[number]>>;
  readonly per?: Instead<"declare it by groupStage(): a stage works on batches or on groups">;
  /** Yields each output with its input; `[input]` alone says: no output. */
  run(
    documents: readonly DocumentOf<Reads>[],
    context: Context<Needs, Config> & LookedByInput<L>,
  ): Yields<readonly [input: DocumentOf<Reads>, output?: DraftOf<Writes[number]>]>;
}

export interface GroupSpec<
  Reads,
  Writes extends readonly AnyCollection[],
  Needs extends readonly Service[],
  Config,
  L extends Looks,
> extends CommonSpec<Reads, Writes, Needs, Config> {
  /** Further documents read by `run`, by name. A change of such a document owes the stage again. */
  readonly looks?: LooksSpec<GroupOf<Reads>, L>;
  /** The expectation of a result; another result is a finding for people, not a silent success. */
  readonly expects?: Expects<GroupOf<Reads>, DraftOf<Writes[number]>>;
  readonly batch?: Instead<"declare it by batchStage(): a stage works on batches or on groups">;
  /** The group a document belongs to. */
  readonly per: (document: DocumentOf<Reads>) => string;
  /** Stages that every member must have passed first. */
  readonly after?: readonly Stage[];
  /** How long the group must not have changed; a late member starts the time anew. */
  readonly quiet?: Duration;
  /** Whether a group goes ahead although members died in an `after` stage (default), or waits for a person. */
  readonly incomplete?: "proceed" | "wait";
  /**
   * Which members a result is made of, for the time between the deletion of a member and the next run: `all` (default) hides
   * every result of the group, `any` hides none while a member is left (members are copies of one thing), and a path such as
   * `$.messages[*].message` hides the results in which it leads to the id of a deleted member.
   */
  readonly madeOf?: "all" | "any" | `$.${string}`;
  run(group: GroupOf<Reads>, context: Context<Needs, Config> & Looked<L>): Yields<DraftOf<Writes[number]>>;
}

/** The documents of one group, by id. */
export interface GroupOf<Reads> {
  readonly key: string;
  readonly documents: readonly DocumentOf<Reads>[];
}

/** The context of `run` beside the input: services by name, and the following fields. */
export type Context<
  Needs extends readonly Service[] = readonly [],
  Config = JsonObject,
> = StageContext<Config> & ServicesOf<Needs>;

/** What every stage is given beside its input. */
export interface StageContext<Config = JsonObject> {
  /** Aborted when the time limit is reached, the work was cancelled or the process stops. */
  readonly signal: AbortSignal;
  /** The `config` of the stage. */
  readonly config: Config;
  /** 1 for the first try. */
  readonly attempt: number;
  /** The same for each try of the same work: hand it to services that must not act twice. */
  readonly idempotencyKey: string;
  /** `req_<uuid>.stage_<name>.retry_<n>` */
  readonly correlationId: string;
  /** This attempt as W3C trace context: hand it to services as the header `traceparent`. */
  readonly traceparent: string;
  /** What `isolate.lend` gave for this input. */
  // biome-ignore lint/suspicious/noExplicitAny: its type is known to the author only.
  readonly lent?: any;
}

export type Yields<T> = AsyncIterable<T> | Iterable<T>;
export type Announcements = { readonly done?: string; readonly failed?: string };
export interface Isolation {
  readonly module: string;
  readonly memoryMb: number;
  readonly env: readonly string[];
  readonly allow: readonly ("network" | "writing")[];
  // biome-ignore lint/suspicious/noExplicitAny: input and services are checked where the stage is declared.
  readonly lend?: (input: any, context: any) => Promise<unknown>;
  readonly makes: readonly string[];
}
/** A value of JSON. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue };

export type ClassifyThrown = (thrown: unknown) => ClassifiedAs | undefined;
export interface ClassifiedAs {
  readonly kind?: keyof RetryPolicies;
  readonly code?: string;
  readonly message?: string;
  readonly dependency?: string;
  readonly retryAfterMs?: number;
  readonly outage?: boolean;
}

/** Any declaration, before its types are forgotten. */
type AnySpec =
  // biome-ignore lint/suspicious/noExplicitAny: any declaration, before its types are forgotten.
  | SingleSpec<any, any, any, any, any>
  // biome-ignore lint/suspicious/noExplicitAny: any declaration, before its types are forgotten.
  | BatchSpec<any, any, any, any, any>
  // biome-ignore lint/suspicious/noExplicitAny: any declaration, before its types are forgotten.
  | GroupSpec<any, any, any, any, any>;
