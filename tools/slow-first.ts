import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of half a minute and more. A long file started last leaves one processor idle. */
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

/** Starts with the longest files, as far as known. */
export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = slow.findIndex((one) => moduleId.endsWith(one));
      return at < 0 ? slow.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
