import { DefinitionError } from "./definition-error.ts";
import { type Duration, durationMs } from "./duration.ts";

const rateLimitMax = 1_000_000;
/** Names of the context, refused for services and look-ups. */
export const reserved = ["signal", "config", "attempt", "idempotencyKey", "correlationId", "lent"];

/** The parts of a declaration to be checked besides the types. */
interface CheckedSpec {
  readonly version?: unknown;
  readonly concurrency?: number;
  readonly rate?: { readonly limit: number; readonly per: Duration };
  readonly timeout?: Duration;
  readonly priority?: number;
  readonly madeOf?: string;
  readonly needs?: readonly { readonly name: string }[];
  readonly isolate?: {
    readonly module: string;
    readonly lend?: unknown;
    readonly makes?: readonly string[];
    readonly env?: readonly string[];
    readonly memoryMb?: number;
  };
}

type Shape = "single" | "batch" | "fan-in";

/** Refuses an impossible stage, with a sentence. */
export function checkSpec(name: string, shape: Shape, spec: CheckedSpec): void {
  const refuse = (problem: string): never => {
    throw new DefinitionError(`Stage "${name}" ${problem}.`);
  };
  checkShape(shape, spec, refuse);
  if (spec.version !== undefined && typeof spec.version !== "string")
    refuse(`has version ${spec.version}; it must be a text such as "2"`);
  if (spec.concurrency !== undefined && !(Number.isInteger(spec.concurrency) && spec.concurrency >= 1)) {
    refuse(`has concurrency ${spec.concurrency}; it must be a whole number from 1`);
  }
  // A document costs a whole token, so a bucket for less than a token would let nothing through.
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
  const { madeOf } = spec;
  if (madeOf && !/^(all|any|\$(\.[A-Za-z_]\w*(\[\*\])?)+)$/.test(madeOf)) {
    refuse(`has madeOf "${madeOf}"; it must be "all", "any" or a path such as "$.messages[*].message"`);
  }
  for (const { name: service } of spec.needs ?? []) {
    if (reserved.includes(service))
      refuse(`needs a service called "${service}", a name that the context already has`);
  }
  if (!spec.isolate) return;
  const { lend, makes = [] } = spec.isolate;
  const needed = (spec.needs ?? []).map((service) => service.name);
  const stray = makes.find((one) => !needed.includes(one));
  if (stray !== undefined)
    refuse(`makes the service "${stray}" in its process, which is not among its needs`);
  if (!lend && needed.some((one) => !makes.includes(one)))
    refuse(
      "is isolated and needs services; a service cannot cross into the isolated process: let its module make it there (isolate.makes), or isolate.lend ask it",
    );
  if (!spec.isolate.module.startsWith("file:"))
    refuse(`is isolated in module "${spec.isolate.module}"; give the module's own address, import.meta.url`);
  const misnamed = spec.isolate.env?.find((one) => !/^[A-Za-z_]\w*$/.test(one));
  if (misnamed !== undefined) refuse(`is isolated with "${misnamed}", which is no name of a variable`);
  if ((spec.isolate.memoryMb ?? 512) < 16) refuse("is isolated with less than 16 MB; give it at least that");
}

/** A program without a compiler may hand any option to any kind of stage. */
function checkShape(shape: Shape, spec: object, refuse: (problem: string) => never): void {
  const { batch, per } = spec as { readonly batch?: unknown; readonly per?: unknown };
  if (shape !== "batch" && batch !== undefined) refuse("has a batch size; declare it by batchStage()");
  if (shape !== "fan-in" && per !== undefined) refuse("works per group; declare it by groupStage()");
  if (shape === "fan-in" && typeof per !== "function")
    refuse("lacks the group of a document; give it `per: (document) => …`");
  if (shape === "batch" && !(Number.isInteger(batch) && Number(batch) >= 1 && Number(batch) <= 10_000))
    refuse(`has batch ${batch}; it must be a whole number from 1 to 10000`);
}
