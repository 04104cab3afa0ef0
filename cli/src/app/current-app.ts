import { AsyncLocalStorage } from "node:async_hooks";
import { type ConsensusPipeline, isConsensus } from "@headway/consensus";
import { isManuals } from "@headway/manuals";
import { Refusal } from "../exit-codes.ts";
import type { CommandLineApp } from "./command-line-app.ts";
import { shippedApp } from "./shipped-app.ts";

const current = new AsyncLocalStorage<CommandLineApp>();

/** Runs a command for an application. */
export const withinApp = <T>(app: CommandLineApp, act: () => Promise<T>): Promise<T> => current.run(app, act);

/** The application of the command that runs; by default the shipped one. */
export const currentApp = (): CommandLineApp => current.getStore() ?? shippedApp;

/** Whether the command is about the pipelines that Headway ships, without a configuration. */
export const isShipped = (): boolean => currentApp().file === null;

/** Whether the application has the consensus pipeline; bad settings do not prevent the answer. */
export const runsConsensus = (): boolean => isShipped() || currentApp().pipelines().some(isConsensus);

/** Whether the application has the manuals pipeline. */
export const runsManuals = (): boolean => isShipped() || currentApp().pipelines().some(isManuals);

/** The consensus pipeline of the application. */
export function ownConsensus(command: string): ConsensusPipeline {
  const found = currentApp().pipelines().find(isConsensus);
  return found ?? refuseElsewhere(command, "consensus");
}

/** A command of a pipeline has nothing to look at where the pipeline is missing. */
export function refuseElsewhere(command: string, pipeline: string): never {
  throw new Refusal(
    `"headway ${command}" belongs to the ${pipeline} pipeline, which ${currentApp().file} does not run; "headway --help" lists the commands there are.`,
    2,
  );
}
