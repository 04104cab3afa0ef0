import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** An operator's shell: exports, jobs and history persist. */
export interface Shell {
  /** Types commands and waits for their end. Both outputs appear interleaved, as on a terminal. */
  type(code: string): Promise<{ code: number; printed: string }>;
  close(): void;
}

// Never part of any output.
const mark = "\u001e";

export function openShell({ cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Shell {
  const bash = spawn("bash", ["--noprofile", "--norc"], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "inherit"],
    // A separate process group, so nothing survives.
    detached: true,
  });
  bash.stdin.write("exec 2>&1\n");
  let printed = "";
  let heard: () => void = () => undefined;
  let ended: string | null = null;
  bash.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    heard();
  });
  bash.once("close", (code, signal) => {
    ended = `The shell has ended with ${code ?? signal}.`;
    heard();
  });
  let blocks = 0;
  return {
    async type(code) {
      blocks += 1;
      const file = join(cwd, `.block-${blocks}.sh`);
      writeFileSync(file, `${code}\n`);
      printed = "";
      // Empty input: there is no person to ask.
      bash.stdin.write(`. "${file}" < /dev/null; printf '${mark}%d${mark}' "$?"\n`);
      while (!printed.endsWith(mark) || printed.split(mark).length < 3) {
        if (ended) throw new Error(`${ended}\n${printed}`);
        await new Promise<void>((resolve) => (heard = resolve));
      }
      const [text = "", status] = printed.split(mark);
      return { code: Number(status), printed: text };
    },
    close() {
      if (!ended) process.kill(-(bash.pid as number), "SIGKILL");
    },
  };
}
