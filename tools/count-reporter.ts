import { writeFileSync, writeSync } from "node:fs";
import type { Reporter, TestModule, TestSpecification } from "vitest/node";
import { addCounts, type Count, countLine, type RunCounts, sumOfRun } from "./counts.ts";

/**
 * Makes `12 passed, 0 failed` the last line of a run. With `HEADWAY_TEST_COUNTS` the counts of each file go to this
 * path instead, for `tools/run-tests.ts`, which prints the line itself.
 */
export default class CountReporter implements Reporter {
  #counts: RunCounts = { files: {}, unhandled: 0 };
  #planned: readonly string[] = [];

  onInit() {
    const path = process.env.HEADWAY_TEST_COUNTS;
    // At exit, because Vitest still has things to say after the end of the tests.
    process.once("exit", (code) => {
      if (path) writeFileSync(path, JSON.stringify(this.#counts));
      else writeSync(process.stdout.fd, `${countLine(sumOfRun(this.#counts), code)}\n`);
    });
  }

  onTestRunStart(specifications: readonly TestSpecification[]) {
    this.#planned = specifications.map(({ moduleId }) => moduleId);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly object[]) {
    const files: Record<string, Count> = {};
    const add = (path: string, count: Partial<Count>) => {
      files[path] = addCounts(files[path] ?? {}, count);
    };
    for (const module of modules) add(module.moduleId, countTests(module));
    // A dying process leaves its remaining files without a result.
    for (const path of this.#planned) if (!files[path]) add(path, { failed: 1 });
    for (const path of unhandled.map(fileOfError)) if (path !== null) add(path, { failed: 1 });
    const loose = unhandled.filter((error) => fileOfError(error) === null);
    const failures = Object.values(files).some(({ failed }) => failed > 0);
    this.#counts = { files, unhandled: loose.filter((error) => !(failures && isDeath(error))).length };
  }
}

/** The test file that was running at an unhandled error. */
const fileOfError = (error: object): string | null =>
  "VITEST_TEST_PATH" in error && typeof error.VITEST_TEST_PATH === "string" ? error.VITEST_TEST_PATH : null;

/** The death of a process of Vitest, counted with its unfinished files. */
const isDeath = (error: object): boolean =>
  "message" in error && String(error.message).startsWith("[vitest-pool]");

/** A file or a `describe` broken outside its tests is a failure; so is an unfinished test. */
export function countTests(module: TestModule): Count {
  const count = { passed: 0, failed: module.errors().length, skipped: 0 };
  for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    count[state === "pending" ? "failed" : state] += 1;
  }
  return count;
}
