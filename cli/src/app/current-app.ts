import { AsyncLocalStorage } from "node:async_hooks";
import { Refusal } from "../exit-codes.ts";
import type { CommandLineApp } from "./command-line-app.ts";
import { shippedApp } from "./shipped-app.ts";

const current = new AsyncLocalStorage<CommandLineApp>();

/** Runs a command for an application. */
export const withinApp = <T>(app: CommandLineApp, act: () => Promise<T>): Promise<T> => current.run(app, act);

/** The application of the command that runs; by default the shipped one. */
export const currentApp = (): CommandLineApp => current.getStore() ?? shippedApp;

/** Whether the command is about the pipelines that Headway ships. */
export const isShipped = (): boolean => currentApp().file === null;

/** Commands of the consensus pipeline have nothing to look at where that does not run. */
export function refuseElsewhere(command: string): void {
  const { file } = currentApp();
  if (file === null) return;
  throw new Refusal(
    `"headway ${command}" belongs to the consensus pipeline, which ${file} does not run; "headway --help" lists the commands there are.`,
    2,
  );
}
