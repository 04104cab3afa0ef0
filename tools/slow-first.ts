import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take half a minute and more. A long one that begins last keeps one processor waiting for the other. */
const slow = [
  "test/crash/crash.test.ts",
  "test/operating/runbooks.test.ts",
  "test/conformance/pglite.test.ts",
  "test/operating/snapshot.test.ts",
  "test/operating/trust.test.ts",
  "test/consensus/poison.test.ts",
  "test/operating/dry-runs.test.ts",
  "test/faults/broker.test.ts",
  "test/operating/failed.test.ts",
  "test/consensus/start.test.ts",
  "test/behaviours/famous-bugs/dead-letters.test.ts",
];

/** Begins with the files that take longest, as far as that is known. */
export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = slow.findIndex((one) => moduleId.endsWith(one));
      return at < 0 ? slow.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
