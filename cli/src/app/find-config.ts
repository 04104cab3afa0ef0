import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { exitCodes, Refusal } from "../exit-codes.ts";

export const configNames = ["ts", "mts", "js", "mjs"].map((ending) => `headway.config.${ending}`);

/** The configuration that `--app` names (a file, or the folder it is in), else the nearest one from `folder` upwards. */
export function findConfig(named: string | undefined, folder: string): string | null {
  if (named === undefined) return searchUpwards(resolve(folder));
  const path = resolve(folder, named);
  const found = existsSync(path) && (statSync(path).isDirectory() ? configIn(path) : path);
  if (found) return found;
  throw new Refusal(`--app names ${named}, where there is no ${configNames[0]}.`, exitCodes.usage);
}

function searchUpwards(folder: string): string | null {
  const found = configIn(folder);
  const above = dirname(folder);
  return found ?? (above === folder ? null : searchUpwards(above));
}

const configIn = (folder: string): string | null =>
  configNames.map((name) => join(folder, name)).find((path) => existsSync(path)) ?? null;

/** Takes `--app PATH` and `--app=PATH` out of the words of a command line, wherever they stand. */
export function takeAppOption(words: readonly string[]): { app: string | undefined; rest: string[] } {
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  const rest: string[] = [];
  let app: string | undefined;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (index < end && word === "--app") {
      app = words[++index];
      if (app === undefined) throw new Refusal("--app needs the path of a configuration.", exitCodes.usage);
    } else if (index < end && word.startsWith("--app=")) app = word.slice("--app=".length);
    else rest.push(word);
  }
  return { app, rest };
}
