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
  /** Resolves with what stands in stderr as soon as it fits; fails when the process ends before. */
  saying(what: RegExp): Promise<string>;
  /** Asks it to stop, as a terminal or a supervisor does. */
  signal(signal: NodeJS.Signals): void;
  /** Ends it and all it has started at once, as a power cut does. */
  kill(): void;
}

/** The command in a process of its own, in a clean environment, from a folder that is not the repository. */
export const startHeadway = (
  words: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): HeadwayProcess => start(process.execPath, [builtHeadway(), ...words], cwd, env);

/** As whoever has a clone runs it. */
export const runFromSources = (words: readonly string[], { cwd }: { readonly cwd: string }): Promise<Ended> =>
  start(
    process.execPath,
    [fileURLToPath(new URL("../../cli/bin/headway.mjs", import.meta.url)), ...words],
    cwd,
  ).ended;

export const runHeadway = (words: readonly string[], options: { readonly cwd: string }): Promise<Ended> =>
  startHeadway(words, options).ended;

/** What it prints goes into another command; both have to end well. */
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
    // A group of its own, so that nothing outlives a kill.
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
      // Nobody is left to kill once it has ended.
      if (child.exitCode === null && child.signalCode === null)
        process.kill(-(child.pid as number), "SIGKILL");
    },
  };
}
