import type { Stage } from "../define/stage.ts";

const GeneratorFunction = Object.getPrototypeOf(function* () {}).constructor as new () => unknown;

/**
 * Whether outputs may pass through this stage in their own commit, without a further claim: a generator cannot wait, and nothing has to
 * be read, limited or isolated.
 */
export const runsAhead = (stage: Stage): boolean =>
  stage.shape === "single" &&
  stage.concurrency === null &&
  stage.rate === null &&
  stage.needs.length === 0 &&
  stage.looks.length === 0 &&
  !stage.isolate &&
  (stage.run as unknown) instanceof GeneratorFunction;
