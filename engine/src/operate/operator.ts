import { DefinitionError } from "../define/definition-error.ts";
import type { Pipeline } from "../define/pipeline.ts";
import type { Clock } from "../run/clock.ts";
import type { Database } from "../store/database.ts";
import { readArguments } from "./arguments.ts";
import type { Operating } from "./context.ts";
import { verbs } from "./verbs.ts";

export type VerbName = keyof typeof verbs;
export type Operator = { readonly [Name in VerbName]: Bound<(typeof verbs)[Name]["run"]> };
type Bound<F> = F extends (context: Operating, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

export interface OperatorOptions {
  /** Open and migrated; nothing else has to run. Not closed here. */
  readonly database: Database;
  readonly clock: Pick<Clock, "now">;
  /** Name of the operator, for the audit. */
  readonly actor: string;
  /** The code, if available, for quiet times, needs and policies missing in the database. */
  readonly pipelines?: readonly Pipeline[];
  /** True: the pipelines equal those of a worker with the same settings, models included: a result is stale if made otherwise. */
  readonly exact?: boolean;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** True: this process has just opened an embedded database, so all earlier workers are dead. */
  readonly alone?: boolean;
}

export function makeOperator(options: OperatorOptions): Operator {
  const { database, clock, actor, pipelines = [], environment = {}, alone = false, exact = false } = options;
  if (actor.trim() === "")
    throw new DefinitionError("An operator needs a name: every act is recorded with who did it.");
  const context: Operating = { database, clock, actor, pipelines, environment, alone, exact };
  const bound = Object.entries(verbs).map(([name, { run }]) => [
    name,
    (...rest: unknown[]) => (run as (context: Operating, ...rest: unknown[]) => unknown)(context, ...rest),
  ]);
  return Object.freeze(Object.fromEntries(bound)) as Operator;
}

/** All verb names, for the answer to an unknown verb. */
export const verbNames = Object.keys(verbs) as readonly VerbName[];

/** Whether a verb may change something: such verbs are for operators, the rest for readers too. */
export const verbChanges = (name: VerbName): boolean => verbs[name].changes;

/**
 * Runs a verb for an outside caller, with JSON arguments. Invalid arguments are a `DefinitionError`: the caller's
 * mistake, in one sentence, before any query.
 */
export function callVerb(operator: Operator, name: VerbName, given: readonly unknown[]): unknown {
  const read = readArguments(verbs[name].takes, given);
  if ("complaint" in read) throw new DefinitionError(`${name}: ${read.complaint}`);
  return (operator[name] as (...values: readonly unknown[]) => unknown)(...read.values);
}
