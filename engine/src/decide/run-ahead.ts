import type { Stage } from "../define/stage.ts";

const GeneratorFunction = Object.getPrototypeOf(function* () {}).constructor as new () => unknown;

/**
 * Whether outputs may pass through this stage in the commit that makes them, without a claim of its own: a generator
 * cannot wait, and nothing has to be read, limited or isolated for it.
 */
export const runsAhead = (stage: Stage): boolean =>
  stage.shape === "single" &&
  stage.concurrency === null &&
  stage.rate === null &&
  stage.needs.length === 0 &&
  stage.looks.length === 0 &&
  !stage.isolate &&
  (stage.run as unknown) instanceof GeneratorFunction;
