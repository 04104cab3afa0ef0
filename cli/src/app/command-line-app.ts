import { attachConsensus, type Consensus, isConsensus, makeMailFeeder } from "@headway/consensus";
import {
  type App,
  type AppCommand,
  type BrokerOption,
  type DatabaseOption,
  type DrillPlan,
  type Engine,
  type Pipeline,
  type Signal,
  startEngine,
} from "@headway/engine";
import { broughtBy } from "@headway/engine/internal";
import { type Feeders, isSources } from "@headway/intake";
import { attachManuals, isManuals, type Manuals, makeManualFeeder } from "@headway/manuals";

/** The application of this process's commands. */
export interface CommandLineApp {
  /** The configuration; null: the shipped pipelines. */
  readonly file: string | null;
  readonly database: DatabaseOption | null;
  readonly broker: BrokerOption | null;
  /** Commands of the application and of its pipelines. */
  readonly commands: readonly AppCommand[];
  readonly drill: DrillPlan | null;
  readonly services: unknown;
  /** The pipelines as a worker of these settings runs them. */
  pipelines(): readonly Pipeline[];
  start(options: StartOptions): Promise<RunningApp>;
}

export interface StartOptions {
  /** A folder for files of the database: blobs, tokens, sockets. */
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
  /** The consensus pipeline, if part of the application. */
  readonly consensus: Consensus | null;
  /** The manuals pipeline, if part of the application. */
  readonly manuals: Manuals | null;
  stop(): Promise<void>;
}

/** An application for the command line; `open` is called when a command needs its pipelines. */
export function commandLineApp(
  file: string | null,
  open: () => App,
  known: Pick<App, "database" | "broker" | "commands" | "drill">,
): CommandLineApp {
  return {
    ...known,
    file,
    get services() {
      return open().services;
    },
    pipelines: () => open().pipelines,
    start: (options) => startApp(open(), options),
  };
}

/** One engine for all pipelines of the application. */
async function startApp(app: App, options: StartOptions): Promise<RunningApp> {
  const { pipelines, services, receives } = app;
  const engine = await startEngine({ pipelines, services, receives, share: options.work, ...options });
  try {
    const mail = pipelines.find(isConsensus);
    const books = pipelines.find(isManuals);
    const manuals = books ? await attachManuals(engine, books, options) : null;
    const consensus = mail ? await attachConsensus(engine, mail, options) : null;
    pipelines.find(isSources)?.attach(feedersOf(consensus, manuals));
    return { engine, pipelines, consensus, manuals, stop: () => (manuals ?? engine).stop() };
  } catch (error) {
    await engine.stop().catch(() => undefined);
    throw error;
  }
}

/** Feeders of sources, by pipeline. */
const feedersOf = (consensus: Consensus | null, manuals: Manuals | null): Feeders => ({
  ...(consensus && { consensus: makeMailFeeder(consensus) }),
  ...(manuals && { manuals: makeManualFeeder(manuals) }),
});

/** Commands of an application, then commands of its pipelines. */
export const commandsOf = ({ commands, pipelines }: App): readonly AppCommand[] => [
  ...commands,
  ...pipelines.flatMap((one) => broughtBy(one).commands ?? []),
];
