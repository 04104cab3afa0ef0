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
  /** Open and migrated; nothing else has to run. It is not closed. */
  readonly database: Database;
  readonly clock: Pick<Clock, "now">;
  /** Who acts; stands in the audit. */
  readonly actor: string;
  /** The code, where it is at hand: it knows quiet times, needs and policies that the database does not. */
  readonly pipelines?: readonly Pipeline[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** True: we have just opened an embedded database for ourselves, so whoever was working in it is dead. */
  readonly alone?: boolean;
}

export function makeOperator(options: OperatorOptions): Operator {
  const { database, clock, actor, pipelines = [], environment = {}, alone = false } = options;
  if (actor.trim() === "")
    throw new DefinitionError("An operator needs a name: every act is recorded with who did it.");
  const context: Operating = { database, clock, actor, pipelines, environment, alone };
  const bound = Object.entries(verbs).map(([name, { run }]) => [
    name,
    (...rest: unknown[]) => (run as (context: Operating, ...rest: unknown[]) => unknown)(context, ...rest),
  ]);
  return Object.freeze(Object.fromEntries(bound)) as Operator;
}

/** The names of all verbs, for an answer to somebody who asked for another. */
export const verbNames = Object.keys(verbs) as readonly VerbName[];

/**
 * Runs a verb for a caller from outside, whose arguments are JSON. Arguments that do not fit are a `DefinitionError`: the caller's
 * mistake, told in one sentence, before anything is asked of the database.
 */
export function callVerb(operator: Operator, name: VerbName, given: readonly unknown[]): unknown {
  const read = readArguments(verbs[name].takes, given);
  if ("complaint" in read) throw new DefinitionError(`${name}: ${read.complaint}`);
  return (operator[name] as (...values: readonly unknown[]) => unknown)(...read.values);
}
