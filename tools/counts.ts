import { appendFileSync } from "node:fs";

/** Tests, or proofs, by outcome. */
export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A run of Vitest, by file; `unhandled` errors belong to no file. */
export interface RunCounts {
  readonly files: Readonly<Record<string, Count>>;
  readonly unhandled: number;
}

export const addCounts = (...counts: readonly Partial<Count>[]): Count =>
  counts.reduce<Count>(
    (sum, { passed = 0, failed = 0, skipped = 0 }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );

export const sumOfRun = ({ files, unhandled }: RunCounts): Count =>
  addCounts(...Object.values(files), { failed: unhandled });

/** A run with a bad exit code has failed even without a failed test, e.g. without any test. */
export function countLine({ passed, failed, skipped }: Count, exitCode: number): string {
  const failures = exitCode !== 0 && failed === 0 ? 1 : failed;
  return `${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** Prints a line, and leaves a copy for the closing summary of `.ci/run`. */
export function tellAtTheEnd(line: string): void {
  console.log(line);
  const path = process.env.HEADWAY_CLOSING;
  if (path) appendFileSync(path, `${line}\n`);
}
