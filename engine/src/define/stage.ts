import { type AnyCollection, checkName, type DocumentOf, type DraftOf } from "./collection.ts";
import { DefinitionError } from "./definition-error.ts";
import { type Duration, durationMs } from "./duration.ts";
import { type RetryPolicies, type RetrySpec, retryPolicies } from "./retry.ts";
import type { Service, ServicesOf } from "./service.ts";

/**
 * One step of a pipeline: given a document, it yields the documents that should now exist. It is handed nothing to
 * retry, lock, mark, publish or alert with; the engine does all of that, in one transaction.
 */
export function stage<
  Reads extends AnyCollection,
  const Writes extends readonly AnyCollection[],
  const Needs extends readonly Service[] = readonly [],
  const Config extends JsonObject = Record<never, never>,
>(name: string, spec: SingleSpec<Reads, Writes, Needs, Config>): Stage<Needs>;
export function stage<
  Reads extends AnyCollection,
  const Writes extends readonly AnyCollection[],
  const Needs extends readonly Service[] = readonly [],
  const Config extends JsonObject = Record<never, never>,
>(name: string, spec: BatchSpec<Reads, Writes, Needs, Config>): Stage<Needs>;
export function stage<
  Reads extends AnyCollection,
  const Writes extends readonly AnyCollection[],
  const Needs extends readonly Service[] = readonly [],
  const Config extends JsonObject = Record<never, never>,
>(name: string, spec: FanInSpec<Reads, Writes, Needs, Config>): Stage<Needs>;
export function stage(name: string, spec: AnySpec): Stage {
  checkName("stage", name);
  checkSpec(name, spec);
  // biome-ignore lint/suspicious/noExplicitAny: its types were checked by the overloads.
  const group = "per" in spec ? (spec as FanInSpec<any, any, any, any>) : null;
  const batch = spec.batch ?? 1;
  return Object.freeze({
    name,
    shape: group ? "fan-in" : "batch" in spec ? "batch" : "single",
    reads: spec.reads,
    writes: spec.writes,
    needs: spec.needs ?? [],
    announces: spec.announces ?? {},
    version: spec.version ?? "1",
    config: spec.config ?? {},
    model: spec.model ?? "",
    retry: retryPolicies(spec.retry),
    timeoutMs: durationMs(spec.timeout ?? "10m"),
    concurrency: spec.concurrency ?? null,
    rate: spec.rate ? { limit: spec.rate.limit, perMs: durationMs(spec.rate.per) } : null,
    priority: spec.priority ?? 0,
    batch,
    per: group?.per ?? null,
    after: group?.after ?? [],
    quietMs: durationMs(group?.quiet ?? "0s"),
    incomplete: group?.incomplete ?? "proceed",
    madeOf: group?.madeOf ?? "all",
    isolate: spec.isolate ? { memoryMb: 512, ...spec.isolate } : null,
    classify: spec.classify ?? null,
    run: spec.run as Stage["run"],
  });
}

/** A stage as the engine sees it; made only by `stage()`. */
export interface Stage<Needs extends readonly Service[] = readonly Service[]> {
  readonly name: string;
  readonly shape: "single" | "batch" | "fan-in";
  readonly reads: AnyCollection;
  readonly writes: readonly AnyCollection[];
  readonly needs: Needs;
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
  // biome-ignore lint/suspicious/noExplicitAny: input and services are checked where the stage is declared.
  readonly run: (input: any, context: any) => Yields<unknown>;
}

export interface CommonSpec<Reads, Writes, Needs extends readonly Service[], Config> {
  readonly reads: Reads;
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
  readonly retry?: RetrySpec;
  readonly timeout?: Duration;
  /** At most so many documents at a time, over all workers together. */
  readonly concurrency?: number;
  /** At most so many documents per period, over all workers together. */
  readonly rate?: { readonly limit: number; readonly per: Duration };
  /** Larger goes first. */
  readonly priority?: number;
  /**
   * Runs `run` in a process that can be killed: for code that may spin or explode. `module` is `import.meta.url`, and
   * exports the stage; `memoryMb` (512) is the limit of its heap, buffers may take 256 MB beside it.
   */
  readonly isolate?: { readonly module: string; readonly memoryMb?: number };
  /** A word on thrown values that only this stage understands; undefined leaves it to the engine. */
  readonly classify?: ClassifyThrown;
}

export interface SingleSpec<
  Reads,
  Writes extends readonly AnyCollection[],
  Needs extends readonly Service[],
  Config,
> extends CommonSpec<Reads, Writes, Needs, Config> {
  readonly batch?: never;
  readonly per?: never;
  run(document: DocumentOf<Reads>, context: Context<Needs, Config>): Yields<DraftOf<Writes[number]>>;
}

export interface BatchSpec<
  Reads,
  Writes extends readonly AnyCollection[],
  Needs extends readonly Service[],
  Config,
> extends CommonSpec<Reads, Writes, Needs, Config> {
  /** How many documents `run` gets at most. If it fails the batch is halved until the culprit is alone. */
  readonly batch: number;
  readonly per?: never;
  /** Yields each output with the input it came from; `[input]` alone says that it has none. */
  run(
    documents: readonly DocumentOf<Reads>[],
    context: Context<Needs, Config>,
  ): Yields<readonly [input: DocumentOf<Reads>, output?: DraftOf<Writes[number]>]>;
}

export interface FanInSpec<
  Reads,
  Writes extends readonly AnyCollection[],
  Needs extends readonly Service[],
  Config,
> extends CommonSpec<Reads, Writes, Needs, Config> {
  readonly batch?: never;
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
  run(
    group: { readonly key: string; readonly documents: readonly DocumentOf<Reads>[] },
    context: Context<Needs, Config>,
  ): Yields<DraftOf<Writes[number]>>;
}

/** What `run` is given beside its input: its services by name, and these. */
export type Context<
  Needs extends readonly Service[] = readonly [],
  Config = JsonObject,
> = StageContext<Config> & ServicesOf<Needs>;

export interface StageContext<Config = JsonObject> {
  /** Aborted when the time limit is reached, the work was cancelled or the process stops. */
  readonly signal: AbortSignal;
  readonly config: Config;
  /** 1 for the first try. */
  readonly attempt: number;
  /** The same for each try of the same work: hand it to services that must not act twice. */
  readonly idempotencyKey: string;
  /** `req_<uuid>.stage_<name>.retry_<n>` */
  readonly correlationId: string;
}

export type Yields<T> = AsyncIterable<T> | Iterable<T>;
export type Announcements = { readonly done?: string; readonly failed?: string };
export type Isolation = { readonly module: string; readonly memoryMb: number };
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

// biome-ignore lint/suspicious/noExplicitAny: any declaration, before its types are forgotten.
type AnySpec = SingleSpec<any, any, any, any> | BatchSpec<any, any, any, any> | FanInSpec<any, any, any, any>;

const rateLimitMax = 1_000_000;
const reserved = ["signal", "config", "attempt", "idempotencyKey", "correlationId"];

function checkSpec(name: string, spec: AnySpec): void {
  const refuse = (problem: string): never => {
    throw new DefinitionError(`Stage "${name}" ${problem}.`);
  };
  if ("batch" in spec && !(Number.isInteger(spec.batch) && spec.batch >= 1 && spec.batch <= 10_000)) {
    refuse(`has batch ${spec.batch}; it must be a whole number from 1 to 10000`);
  }
  if (spec.concurrency !== undefined && !(Number.isInteger(spec.concurrency) && spec.concurrency >= 1)) {
    refuse(`has concurrency ${spec.concurrency}; it must be a whole number from 1`);
  }
  // A document costs a whole token, so a bucket that holds less than one would never let any through.
  if (spec.rate && !(spec.rate.limit >= 1 && spec.rate.limit <= rateLimitMax)) {
    refuse(
      `has rate limit ${spec.rate.limit}; it must be from 1 to ${rateLimitMax}, per a period as long as you like`,
    );
  }
  if (spec.rate && durationMs(spec.rate.per) === 0)
    refuse(`has a rate per "${spec.rate.per}"; it must be longer`);
  if (spec.timeout && durationMs(spec.timeout) === 0)
    refuse(`has timeout "${spec.timeout}"; it must be longer`);
  if (spec.priority !== undefined && !(Number.isInteger(spec.priority) && Math.abs(spec.priority) <= 1_000)) {
    refuse(`has priority ${spec.priority}; it must be a whole number from -1000 to 1000`);
  }
  if (spec.per && spec.madeOf && !/^(all|any|\$(\.[A-Za-z_]\w*(\[\*\])?)+)$/.test(spec.madeOf)) {
    refuse(`has madeOf "${spec.madeOf}"; it must be "all", "any" or a path such as "$.messages[*].message"`);
  }
  for (const { name: service } of spec.needs ?? []) {
    if (reserved.includes(service))
      refuse(`needs a service called "${service}", a name that the context already has`);
  }
  if (!spec.isolate) return;
  if (spec.needs?.length)
    refuse("is isolated and needs services; a service cannot cross into the isolated process");
  if (!spec.isolate.module.startsWith("file:"))
    refuse(`is isolated in module "${spec.isolate.module}"; give the module's own address, import.meta.url`);
  if ((spec.isolate.memoryMb ?? 512) < 16) refuse("is isolated with less than 16 MB; give it at least that");
}
