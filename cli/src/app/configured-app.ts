import { dirname, resolve } from "node:path";
import { type App, type DatabaseOption, startEngine } from "@headway/engine";
import { exitCodes, Refusal } from "../exit-codes.ts";
import type { CommandLineApp } from "./command-line-app.ts";
import { loadModule } from "./load-module.ts";

/** The application that a configuration declares by its default export. */
export async function loadApp(file: string): Promise<CommandLineApp> {
  const { default: app } = await loadModule(file);
  if (!isApp(app))
    throw new Refusal(
      `${file} declares no application: add "export default defineApp({ pipelines: […] })".`,
      exitCodes.usage,
    );
  return {
    file,
    database: app.database && atFolder(app.database, dirname(file)),
    broker: app.broker,
    commands: app.commands,
    drill: app.drill,
    services: app.services,
    pipelines: () => app.pipelines,
    exactPipelines: async () => app.pipelines,
    async start({ data: _, ...options }) {
      const engine = await startEngine({
        pipelines: app.pipelines,
        services: app.services,
        receives: app.receives,
        share: options.work,
        ...options,
      });
      return { engine, pipelines: app.pipelines, consensus: null, stop: () => engine.stop() };
    },
  };
}

function isApp(value: unknown): value is App {
  const { pipelines, commands } = (value ?? {}) as Partial<App>;
  return Array.isArray(pipelines) && Array.isArray(commands);
}

const atFolder = (option: DatabaseOption, folder: string): DatabaseOption =>
  "folder" in option ? { ...option, folder: resolve(folder, option.folder) } : option;
