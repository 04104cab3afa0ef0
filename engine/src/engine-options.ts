import type { Config } from "./config.ts";
import type { ObservedStatement } from "./databases/observed.ts";
import type { Sharing } from "./databases/share.ts";
import type { Signal } from "./decide/signal.ts";
import type { AnyCollection, DraftOf } from "./define/collection.ts";
import type { NeedsOf, Pipeline } from "./define/pipeline.ts";
import type { ServicesOf } from "./define/service.ts";
import type { Accepted, AcceptOptions } from "./run/accept.ts";
import type { BrokerOption } from "./run/news.ts";
import type { Readers } from "./run/readers.ts";
import type { Receiver } from "./run/receive.ts";
import type { Swept } from "./run/sweep.ts";
import type { Database } from "./store/database.ts";

/** Options of `startEngine`. */
export interface EngineOptions<Pipelines extends readonly Pipeline[] = readonly Pipeline[]> {
  /** The pipelines to run together; they may share collections and stages. */
  readonly pipelines: Pipelines;
  /** The services that the stages need, by name, or a function that makes them from what the engine lends. */
  readonly services: ServicesFor<Pipelines>;
  /** A server by its url, an embedded database in a folder, or one in memory that is gone with the process. */
  readonly database: DatabaseOption;
  /** The stages to work on, if not all. */
  readonly stages?: readonly string[];
  /**
   * The name of this worker.
   * @default "worker-PID"
   */
  readonly name?: string;
  /** Values of [knobs](config.md) that win over the environment. */
  readonly config?: Partial<Config>;
  /** Called for every signal; see [signals](signals.md). */
  readonly onSignal?: (signal: Signal) => void;
  /** False: this process accepts and reads, others do the work. */
  readonly work?: boolean;
  /** News by RabbitMQ instead of by the database: `amqp://user:password@host/vhost`. */
  readonly broker?: BrokerOption;
  /** Events that are taken from outside, if there is a broker. */
  readonly receives?: readonly Receiver[];
  /**
   * A folder for files that belong to the database but are not in it, such as bytes of archives.
   * @default the folder of an embedded database, else ".headway"
   */
  readonly data?: string;
  /** Lets other processes of the same person use our embedded database: on this port, or on any that is free. */
  readonly share?: boolean | { readonly port: number; readonly host?: string };
}

/** The services of pipelines. A conditional type, so that the compiler infers the pipelines first and then knows every parameter. */
export type ServicesFor<Pipelines extends readonly Pipeline[]> = Pipelines extends readonly Pipeline[]
  ? Services<ServicesOf<NeedsOf<Pipelines>>>
  : never;

/** Services, or a function that makes them once the database is open and migrated. */
export type Services<Needed> = Needed | ((lent: Lent) => Needed) | ((lent: Lent) => Promise<Needed>);

/** What the engine lends to services. */
export interface Lent {
  /** The engine's database, migrated. */
  readonly database: Database;
  /** The database as it was asked for: machines with a common server need no common folder. */
  readonly option: DatabaseOption;
  /** A folder for files that belong to the database but are not in it. */
  readonly data: string;
  /** The environment of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs an act after the engine has stopped, e.g. to close a connection. */
  onStop(act: () => Promise<void> | void): void;
}

/** A server, a folder with an embedded database, or an embedded database in memory; `schema` is "headway" by default. */
export type DatabaseOption = (
  | { readonly url: string }
  | { readonly folder: string }
  | { readonly memory: true }
) & {
  readonly schema?: string;
  /** Called after each statement with its text and time: for measuring. */
  readonly onStatement?: (statement: ObservedStatement) => void;
};

/** A running engine; `Holds` are the collections of its pipelines. */
export interface Engine<Holds extends AnyCollection = AnyCollection> extends Readers<Holds> {
  /** Takes documents in. Once it resolves they are safe: each of them will be done, or visibly dead. */
  accept(drafts: DraftOf<Holds> | readonly DraftOf<Holds>[], options?: AcceptOptions): Promise<Accepted>;
  /**
   * Resolves when no task is left, of all stages or of these: everything is done or dead. Waits for a database that is
   * away, as the workers do.
   */
  settled(options?: { signal?: AbortSignal; stages?: readonly string[] }): Promise<void>;
  /** Looks for forgotten work and owes it again; `dryRun` only counts. */
  sweep(options?: { dryRun?: boolean }): Promise<Swept>;
  /** Calls `heard` for every signal until the returned function is called. */
  onSignal(heard: (signal: Signal) => void): () => void;
  /** For the operate door. */
  readonly database: Database;
  /** Where other processes find our embedded database; null when it is not shared, or not ours. */
  readonly sharing: Sharing | null;
  /** Stops in good order: costs no document an attempt. */
  stop(): Promise<void>;
}
