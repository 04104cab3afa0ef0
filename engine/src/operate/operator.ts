import { DefinitionError } from "../define/definition-error.ts";
import type { Pipeline } from "../define/pipeline.ts";
import type { Clock } from "../run/clock.ts";
import type { Database } from "../store/database.ts";
import { readArguments } from "./arguments.ts";
import type { Operating } from "./context.ts";
import { type GroupName, verbGroups } from "./verb-groups.ts";
import { type VerbName, verbs } from "./verbs.ts";

/** Every verb under its name in HTTP: `operator.requeueDead` is `operator.dead.requeue`. */
export type Verbs = { readonly [Name in VerbName]: Bound<(typeof verbs)[Name]["run"]> };

/** Verbs by what they are about. */
export type OperatorGroups = {
  readonly [Group in GroupName]: {
    readonly [Name in keyof (typeof verbGroups)[Group]]: (typeof verbGroups)[Group][Name] extends VerbName
      ? Verbs[(typeof verbGroups)[Group][Name]]
      : never;
  };
};

/**
 * Everything a person can see and do, in groups: `operator.dead.requeue(…)`, `operator.stages.pause(…)`. Each act is
 * recorded in the audit. Every verb is there under its name in HTTP too: `operator.requeueDead(…)`.
 */
export type Operator = OperatorGroups & Verbs;

type Bound<F> = F extends (context: Operating, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** What an operator needs. */
export interface OperatorOptions {
  /** Open and migrated; nothing else has to run. Not closed here. */
  readonly database: Database;
  /** Time of the fleet; `openOperator` takes the server's if it is left out. */
  readonly clock: Pick<Clock, "now">;
  /** Name of the operator, for the audit. */
  readonly actor: string;
  /** The code, if available, for quiet times, needs and policies missing in the database. */
  readonly pipelines?: readonly Pipeline[];
  /** True: the pipelines equal those of a worker with the same settings, models included: a result is stale if made otherwise. */
  readonly exact?: boolean;
  /**
   * Variables with retry policies of the seeds.
   * @default process.env
   */
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
  return inGroups(Object.fromEntries(bound));
}

/** Adds the groups; a verb with the name of a group carries the group's verbs. */
function inGroups(bound: Readonly<Record<string, object>>): Operator {
  const groups = Object.entries(verbGroups).map(([group, names]) => {
    const members = Object.entries(names).map(([name, verb]) => [name, bound[verb]]);
    return [group, Object.freeze(Object.assign(bound[group] ?? {}, Object.fromEntries(members)))];
  });
  return Object.freeze({ ...bound, ...Object.fromEntries(groups) }) as Operator;
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
