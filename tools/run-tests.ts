import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { addCounts, type Count, countLine, type RunCounts, sumOfRun, tellAtTheEnd } from "./counts.ts";

// What `npm test` runs after types and lint: Vitest, then the failed files once more, one by one. A busy machine
// breaks a test beside others at times; a file that passes alone is counted as passed and named. Arguments go to
// Vitest.

/** More broken files than this are no bad luck: they are not repeated. */
const suspectsMax = 15;

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const reporter = fileURLToPath(new URL("count-reporter.ts", import.meta.url));

interface Run {
  /** Null: Vitest ended before counting. */
  readonly counts: RunCounts | null;
  readonly exitCode: number;
}

async function runVitest(args: readonly string[]): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "headway-tests-"));
  const path = join(folder, "counts.json");
  const child = spawn(
    process.execPath,
    [vitest, "run", "--reporter=default", `--reporter=${reporter}`, ...args],
    { stdio: "inherit", env: { ...process.env, HEADWAY_TEST_COUNTS: path } },
  );
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve(code ?? 1));
    });
    const text = await readFile(path, "utf8").catch(() => null);
    return { counts: text === null ? null : JSON.parse(text), exitCode };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const failedFiles = ({ files }: RunCounts): string[] =>
  Object.keys(files).filter((path) => (files[path]?.failed ?? 0) > 0);

/** Each failed file once more with the machine for itself; the second result counts. */
async function tryAlone(counts: RunCounts): Promise<RunCounts> {
  const files: Record<string, Count> = { ...counts.files };
  for (const path of failedFiles(counts)) {
    const name = relative(process.cwd(), path);
    console.log(`\nOnce more, alone: ${name}`);
    const again = await runVitest(["--no-file-parallelism", path]);
    const passed = again.counts !== null && again.exitCode === 0;
    const count = again.counts ? sumOfRun(again.counts) : addCounts();
    files[path] = passed ? count : { ...count, failed: Math.max(1, count.failed) };
    tellAtTheEnd(
      passed ? `FAILED BESIDE OTHERS, PASSED ALONE: ${name}` : `Failed twice, the second time alone: ${name}`,
    );
  }
  return { ...counts, files };
}

async function main(args: readonly string[]): Promise<number> {
  const first = await runVitest(args);
  if (!first.counts) {
    console.log(countLine(addCounts(), 1));
    return 1;
  }
  const suspects = failedFiles(first.counts).length;
  if (suspects > suspectsMax) tellAtTheEnd(`${suspects} files failed, too many to try each of them alone.`);
  const tried = suspects > 0 && suspects <= suspectsMax;
  const sum = sumOfRun(tried ? await tryAlone(first.counts) : first.counts);
  // Without a failed file a bad exit code has another reason, such as a missing test.
  const exitCode = sum.failed > 0 || (suspects === 0 && first.exitCode !== 0) ? 1 : 0;
  console.log(countLine(sum, exitCode));
  return exitCode;
}

process.exitCode = await main(process.argv.slice(2));
