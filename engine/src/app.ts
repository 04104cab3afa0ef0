import type { DocumentDraft } from "./define/collection.ts";
import { DefinitionError } from "./define/definition-error.ts";
import type { CollectionsOf, NeedsOf, Pipeline } from "./define/pipeline.ts";
import type { ServicesOf } from "./define/service.ts";
import type { DatabaseOption, Engine, EngineOptions, Services } from "./engine-options.ts";
import type { BrokerOption } from "./run/news.ts";
import type { Receiver } from "./run/receive.ts";
import type { Database } from "./store/database.ts";

/** An application: pipelines with everything they need to run. The default export of `headway.config.ts`. */
export interface App<Pipelines extends readonly Pipeline[] = readonly Pipeline[]> {
  /** Pipelines that run together, in one database. */
  readonly pipelines: Pipelines;
  /** Services of all pipelines. */
  readonly services: Services<ServicesOf<NeedsOf<Pipelines>>>;
  /** Null: the folder `.headway` beside the configuration. */
  readonly database: DatabaseOption | null;
  /** Null: notifications by the database. */
  readonly broker: BrokerOption | null;
  /** Events that are taken from outside. */
  readonly receives: readonly Receiver[];
  /** Commands of its own: `headway NAME`. */
  readonly commands: readonly AppCommand[];
  /** What `headway drill` runs. */
  readonly drill: DrillPlan | null;
}

/** Options of `defineApp`. `services` may be left out by pipelines that need none. */
export type AppOptions<Pipelines extends readonly Pipeline[]> = CommonAppOptions<Pipelines> &
  (Record<never, never> extends ServicesOf<NeedsOf<Pipelines>>
    ? { readonly services?: EngineOptions<Pipelines>["services"] }
    : { readonly services: EngineOptions<Pipelines>["services"] });

interface CommonAppOptions<Pipelines extends readonly Pipeline[]> {
  /** The pipelines that run together, in one database. */
  readonly pipelines: Pipelines;
  /**
   * The database, unless `--database`, `--data`, HEADWAY_DATABASE_URL or HEADWAY_DATA names another one. A folder is relative
   * to the folder of the configuration.
   * @default { folder: ".headway" }
   */
  readonly database?: DatabaseOption;
  /** A RabbitMQ for news and events, unless HEADWAY_BROKER_URL names another one. */
  readonly broker?: BrokerOption;
  /** Events that are taken from outside, if there is a broker. */
  readonly receives?: readonly Receiver[];
  /** Commands of the application's own: `headway NAME`. */
  readonly commands?: readonly AppCommand[];
  /** Documents, and services that may be called again and again, for `headway drill`. */
  readonly drill?: DrillPlan;
}

/** A command that an application brings to `headway`. */
export interface AppCommand {
  /** The word after `headway`. */
  readonly name: string;
  /** One line for the help. */
  readonly description: string;
  /** Shown in the help, e.g. `"<product>"` or `"[names...]"`. */
  readonly usage?: string;
  /** Reads what is there; it is handed an engine that does no work. Text is written to standard output. */
  run(context: AppCommandContext): Promise<void> | void;
}

/** What a command of an application is given. */
export interface AppCommandContext {
  /** Words after the command. */
  readonly arguments: readonly string[];
  /** An engine that does no work. */
  readonly engine: Pick<Engine, "read" | "documents" | "accept" | "database">;
  /** Writes to standard output. */
  write(text: string): void;
}

/** What `headway drill` runs through the pipelines of an application. */
export interface DrillPlan {
  /** Documents to accept, or a function that makes them. */
  readonly documents:
    | readonly DocumentDraft[]
    | (() => AsyncIterable<DocumentDraft> | Iterable<DocumentDraft>);
  /** Services of the drill, made anew for each run; by default those of the application. */
  readonly services?: (given: { readonly database: Database }) => unknown;
}

/**
 * Declares an application.
 *
 * @example
 * import { collection, defineApp, pipeline, stage } from "@headway/engine";
 * import { z } from "zod";
 *
 * const letters = collection("letters", z.object({ text: z.string() }));
 * const keeping = stage("keeping", { reads: letters, writes: [], *run() {} });
 *
 * export default defineApp({
 *   pipelines: [pipeline("post", { stages: [keeping] })],
 *   database: { folder: ".headway" },
 * });
 */
export function defineApp<const Pipelines extends readonly Pipeline[]>(
  options: AppOptions<Pipelines>,
): App<Pipelines> {
  if (!Array.isArray(options.pipelines) || options.pipelines.length === 0)
    throw new DefinitionError("The application has no pipelines; give defineApp at least one.");
  const twice = options.commands?.find(({ name }, index, all) =>
    all.slice(0, index).some((one) => one.name === name),
  );
  if (twice) throw new DefinitionError(`The application has two commands called "${twice.name}".`);
  return Object.freeze({
    pipelines: options.pipelines,
    services: options.services ?? ({} as never),
    database: options.database ?? null,
    broker: options.broker ?? null,
    receives: options.receives ?? [],
    commands: options.commands ?? [],
    drill: options.drill ?? null,
  });
}

/** The engine of an application. */
export type EngineOf<A extends App> = Engine<CollectionsOf<A["pipelines"]>>;
