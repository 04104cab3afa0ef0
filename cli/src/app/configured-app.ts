import { dirname, resolve } from "node:path";
import type { App, DatabaseOption } from "@headway/engine";
import { exitCodes, Refusal } from "../exit-codes.ts";
import { type CommandLineApp, commandLineApp, commandsOf } from "./command-line-app.ts";
import { loadModule } from "./load-module.ts";

/** The application that a configuration declares by its default export. */
export async function loadApp(file: string): Promise<CommandLineApp> {
  const { default: app } = await loadModule(file);
  if (!isApp(app))
    throw new Refusal(
      `${file} declares no application: add "export default defineApp({ pipelines: […] })".`,
      exitCodes.usage,
    );
  return commandLineApp(file, () => app, {
    database: app.database && atFolder(app.database, dirname(file)),
    broker: app.broker,
    commands: commandsOf(app),
    drill: app.drill,
  });
}

function isApp(value: unknown): value is App {
  const { pipelines, commands } = (value ?? {}) as Partial<App>;
  return Array.isArray(pipelines) && Array.isArray(commands);
}

const atFolder = (option: DatabaseOption, folder: string): DatabaseOption =>
  "folder" in option ? { ...option, folder: resolve(folder, option.folder) } : option;
