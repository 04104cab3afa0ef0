import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { permanent } from "../decide/fault.ts";
import type { Isolation } from "../define/stage.ts";
import { writingWall } from "./walls.ts";

/** How Node is started for a module. The heap is limited here, everything else by `watcher.mjs`. */
export function nodeFlags(isolation: Isolation, ownFlags = process.execArgv): string[] {
  const { module, memoryMb } = isolation;
  // New objects have a place of their own, three times as large as this, which by default would exceed a small limit.
  const semiSpaceMb = Math.max(1, Math.min(16, Math.floor(memoryMb / 32)));
  const loading = [...inherited(ownFlags), ...(isTypeScript(module) ? typeScriptFlags(module) : [])];
  return [
    ...loading,
    ...(isolation.allow.includes("writing") ? [] : writingWall(loading)),
    `--max-old-space-size=${Math.floor(memoryMb)}`,
    `--max-semi-space-size=${semiSpaceMb}`,
  ];
}

/** What a program needs of the system: where things are, which language, which time. Everything else may be a secret. */
const systemVariables =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TEMP|TMP|LANG|LANGUAGE|LC_[A-Z]+|TZ|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|NODE_(ENV|PATH|EXTRA_CA_CERTS|COMPILE_CACHE|V8_COVERAGE)|TSX_\w+)$/i;

/**
 * The variables of the system, those that the stage declares, and a word by which `startEngine` knows where it is. Two processes
 * cannot share a debugger's port.
 */
export function childEnvironment({ env }: Pick<Isolation, "env">, own = process.env): NodeJS.ProcessEnv {
  const given = Object.entries(own).filter(([name]) => systemVariables.test(name) || env.includes(name));
  const options = own.NODE_OPTIONS?.replace(/--inspect[\w-]*(?:[= ][\w.:[\]]+)?/g, "");
  return { ...Object.fromEntries(given), ...(options && { NODE_OPTIONS: options }), HEADWAY_ISOLATED: "1" };
}

/** Flags for the resolution and loading of modules; all other flags are for this process only. */
const inheritedFlags = /^(-C|--conditions|--import|-r|--require|--loader|--experimental-loader)(=|$)/;
const inheritedSwitches = /^--(enable-source-maps|preserve-symlinks(-main)?|experimental-[\w-]+)$/;

function inherited(flags: readonly string[]): string[] {
  return flags.flatMap((flag, at) => {
    if (inheritedSwitches.test(flag) && !inheritedFlags.test(flag)) return [flag];
    if (!inheritedFlags.test(flag)) return [];
    return flag.includes("=") ? [flag] : flags.slice(at, at + 2);
  });
}

export const isTypeScript = (module: string): boolean => /\.[cm]?tsx?(?:[?#]|$)/.test(module);

function typeScriptFlags(module: string): string[] {
  // If the engine runs from its sources, a module that imports the engine has to get the sources too.
  const conditions = isTypeScript(import.meta.url) ? ["--conditions=@headway/source"] : [];
  const tsx = findTsx(module) ?? findTsx(import.meta.url);
  if (tsx) return [...conditions, `--import=${tsx}`];
  // Later versions of Node read TypeScript natively.
  if ("typescript" in process.features && process.features.typescript) return conditions;
  throw permanent(
    "isolate.module",
    `The isolated stages of ${module} cannot be loaded: it is TypeScript and the package tsx is missing; install it, or build the module to JavaScript.`,
  );
}

function findTsx(from: string): string | null {
  try {
    return pathToFileURL(createRequire(from).resolve("tsx")).href;
  } catch {
    return null;
  }
}
