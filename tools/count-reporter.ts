import { writeSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** Makes `12 passed, 0 failed` the last line of a run, so that people and machines know where to look. */
export default class CountReporter implements Reporter {
  #count: Count = { passed: 0, failed: 0, skipped: 0 };

  onInit() {
    // At exit, because Vitest still has things to say after the end of the tests.
    process.once("exit", (code) => writeSync(process.stdout.fd, `${countLine(this.#count, code)}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]) {
    const count = countTests(modules);
    this.#count = { ...count, failed: count.failed + unhandled.length };
  }
}

export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A file or a `describe` that broke outside its tests is a failure; so is a test that was never brought to an end. */
export function countTests(modules: readonly TestModule[]): Count {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const module of modules) {
    count.failed += module.errors().length;
    for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      count[state === "pending" ? "failed" : state] += 1;
    }
  }
  return count;
}

/** A run that ends badly has failed even if no test of it did, e.g. because there was none. */
export function countLine({ passed, failed, skipped }: Count, exitCode: number): string {
  const failures = exitCode !== 0 && failed === 0 ? 1 : failed;
  return `${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
