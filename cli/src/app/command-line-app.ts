import type { Consensus } from "@headway/consensus";
import type {
  AppCommand,
  BrokerOption,
  DatabaseOption,
  DrillPlan,
  Engine,
  Pipeline,
  Signal,
} from "@headway/engine";

/** The application that the commands of this process are about. */
export interface CommandLineApp {
  /** The configuration; null: the pipelines that Headway ships. */
  readonly file: string | null;
  readonly database: DatabaseOption | null;
  readonly broker: BrokerOption | null;
  readonly commands: readonly AppCommand[];
  readonly drill: DrillPlan | null;
  /** Services as the configuration declares them; of the shipped pipelines nothing is known before they start. */
  readonly services: unknown;
  /** The pipelines as they are declared, for commands that only look. */
  pipelines(): readonly Pipeline[];
  /** The pipelines as a worker of these settings runs them: models are opened for their names. */
  exactPipelines(): Promise<readonly Pipeline[]>;
  start(options: StartOptions): Promise<RunningApp>;
}

export interface StartOptions {
  /** A folder for what belongs to the database but is not in it. */
  readonly data: string;
  readonly database: DatabaseOption;
  readonly broker?: BrokerOption;
  /** False: this process accepts and reads, other processes do the work. */
  readonly work: boolean;
  readonly stages?: readonly string[];
  readonly share?: { readonly port: number; readonly host?: string };
  readonly onSignal?: (signal: Signal) => void;
}

/** An application whose engine runs. */
export interface RunningApp {
  readonly engine: Engine;
  readonly pipelines: readonly Pipeline[];
  /** The shipped pipeline, if that is what runs. */
  readonly consensus: Consensus | null;
  stop(): Promise<void>;
}
