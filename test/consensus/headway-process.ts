import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { builtHeadway } from "../support/built-headway.ts";

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface HeadwayProcess {
  readonly ended: Promise<Ended>;
  hasEnded(): boolean;
  /** Resolves with stderr as soon as it matches; fails at an earlier end of the process. */
  saying(what: RegExp): Promise<string>;
  /** Requests a stop, as a terminal or a supervisor does. */
  signal(signal: NodeJS.Signals): void;
  /** Kills the process and all its children, as a power cut would. */
  kill(): void;
}

/** The command in a separate process, in a clean environment, from a folder outside the repository. */
export const startHeadway = (
  words: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): HeadwayProcess => start(process.execPath, [builtHeadway(), ...words], cwd, env);

/** The command as run from a clone. */
export const startFromSources = (
  words: readonly string[],
  { cwd }: { readonly cwd: string },
): HeadwayProcess =>
  start(
    process.execPath,
    [fileURLToPath(new URL("../../cli/bin/headway.mjs", import.meta.url)), ...words],
    cwd,
  );

/** The command as run from a clone, with more in its environment. */
export const startWith = (
  words: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): HeadwayProcess =>
  start(
    process.execPath,
    [fileURLToPath(new URL("../../cli/bin/headway.mjs", import.meta.url)), ...words],
    cwd,
    env,
  );

export const runFromSources = (words: readonly string[], options: { readonly cwd: string }): Promise<Ended> =>
  startFromSources(words, options).ended;

export const runHeadway = (words: readonly string[], options: { readonly cwd: string }): Promise<Ended> =>
  startHeadway(words, options).ended;

/** Pipes the output into another command; both have to succeed. */
export const pipeHeadway = (
  words: readonly string[],
  into: string,
  { cwd }: { readonly cwd: string },
): Promise<Ended> =>
  start(
    "bash",
    ["-c", `set -o pipefail; "$0" "$@" | ${into}`, process.execPath, builtHeadway(), ...words],
    cwd,
  ).ended;

function start(
  command: string,
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): HeadwayProcess {
  const child: ChildProcess = spawn(command, words, {
    cwd,
    env: { PATH: process.env.PATH ?? "", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A separate process group, so nothing survives a kill.
    detached: true,
  });
  const texts = { out: "", err: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    texts.out += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    texts.err += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...texts }));
  });
  return {
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    saying: (what) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (what.test(texts.err)) resolve(texts.err);
        };
        child.stderr?.on("data", look);
        look();
        ended.then(
          ({ code, err }) => reject(new Error(`It ended with ${code} before it said that: ${err}`)),
          reject,
        );
      }),
    signal: (signal) => void child.kill(signal),
    kill() {
      // Nothing is left to kill after the end.
      if (child.exitCode === null && child.signalCode === null)
        process.kill(-(child.pid as number), "SIGKILL");
    },
  };
}
