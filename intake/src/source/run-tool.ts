import { spawn } from "node:child_process";
import { permanent } from "@headway/engine";

export interface ToolRun {
  readonly code: number;
  /** The end of its complaints. */
  readonly complaint: string;
  readonly output: Buffer;
}

export interface ToolOptions {
  readonly signal: AbortSignal;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly outputBytesMax?: number;
}

/**
 * Runs a program without a shell and with almost no environment: no secret of this process is there, and no
 * configuration of the person that started it is read.
 */
export function runTool(program: string, words: readonly string[], options: ToolOptions): Promise<ToolRun> {
  const { signal, cwd, env = {}, input, outputBytesMax = 64 * 1024 * 1024 } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...words], {
      signal,
      ...(cwd && { cwd }),
      env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent", LANG: "C", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const output: Buffer[] = [];
    let bytes = 0;
    let complaint = "";
    child.stdout.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > outputBytesMax) child.kill("SIGKILL");
      else output.push(piece);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint = `${complaint}${text}`.slice(-2_000);
    });
    child.stdin.on("error", () => undefined).end(input ?? "");
    child.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT")
        reject(permanent(`${program}.missing`, `The program ${program} is not installed on this machine.`));
      else reject(signal.aborted ? signal.reason : error);
    });
    child.once("close", (code) => resolve({ code: code ?? -1, complaint, output: Buffer.concat(output) }));
  });
}

/** Whether a program can be started. */
export const hasTool = async (program: string): Promise<boolean> =>
  await runTool(program, ["--version"], { signal: AbortSignal.timeout(10_000) }).then(
    ({ code }) => code === 0,
    () => false,
  );

export const lastLine = (text: string): string =>
  text
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/[^ -~]/g, "?")
    .slice(0, 300) ?? "";
