import type { DocumentDraft } from "./define/collection.ts";
import { DefinitionError } from "./define/definition-error.ts";
import type { CollectionsOf, NeedsOf, Pipeline } from "./define/pipeline.ts";
import type { ServicesOf } from "./define/service.ts";
import type { DatabaseOption, Engine, EngineOptions, Services } from "./engine.ts";
import type { BrokerOption } from "./run/news.ts";
import type { Receiver } from "./run/receive.ts";
import type { Database } from "./store/database.ts";

/** An application: pipelines with everything they need to run. The default export of `headway.config.ts`. */
export interface App<Pipelines extends readonly Pipeline[] = readonly Pipeline[]> {
  readonly pipelines: Pipelines;
  readonly services: Services<ServicesOf<NeedsOf<Pipelines>>>;
  readonly database: DatabaseOption | null;
  readonly broker: BrokerOption | null;
  readonly receives: readonly Receiver[];
  readonly commands: readonly AppCommand[];
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
  readonly name: string;
  readonly description: string;
  /** Shown in the help, e.g. `"<product>"` or `"[names...]"`. */
  readonly usage?: string;
  /** Reads what is there; it is handed an engine that does no work. Text is written to standard output. */
  run(context: AppCommandContext): Promise<void> | void;
}

/** What a command of an application is given. */
export interface AppCommandContext {
  readonly arguments: readonly string[];
  readonly engine: Pick<Engine, "read" | "documents" | "accept" | "database">;
  write(text: string): void;
}

/** What `headway drill` runs through the pipelines of an application. */
export interface DrillPlan {
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
 * export default defineApp({
 *   pipelines: [shop],
 *   services: { prices: openPrices(process.env.PRICES_URL) },
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
