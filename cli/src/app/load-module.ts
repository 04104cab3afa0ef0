import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { exitCodes, Refusal } from "../exit-codes.ts";

export type Module = Readonly<Record<string, unknown>>;

/**
 * Imports a module of the user, TypeScript included. tsx compiles it, whatever Node could do by itself: one set of rules
 * on Node 20, 22 and 24.
 */
export async function loadModule(place: string): Promise<Module> {
  const path = resolve(place);
  if (!existsSync(path)) throw new Refusal(`There is no file ${place}.`, exitCodes.usage);
  const { href } = pathToFileURL(path);
  try {
    if (/\.[mc]?ts$/.test(path)) await readTypeScript();
    return await import(href);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (process.env.HEADWAY_DEBUG) throw error;
    const { message } = error as { message?: unknown };
    throw new Refusal(`${place} cannot be loaded: ${String(message ?? error)}`, exitCodes.usage);
  }
}

let reading = false;

/** Lets this process, and the processes of isolated stages, import TypeScript. */
async function readTypeScript(): Promise<void> {
  // In a clone the command runs under tsx already.
  if (reading || process.execArgv.some((flag) => flag.includes("tsx"))) return;
  reading = true;
  const { register } = await import("tsx/esm/api");
  register();
}
