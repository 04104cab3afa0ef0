/** The entry point for authors' tests: a stage in one call, a whole engine on a stopped clock, and a crash drill. */

export {
  type CalledAgain,
  type Drilled,
  type DrilledStage,
  type DrillOptions,
  drill,
} from "./drill/drill.ts";
export type { Difference } from "./drill/executions.ts";
export { openTestEngine, type TestEngine, type TestEngineOptions } from "./drill/test-engine.ts";
export { aDocument, runStage } from "./run/run-stage.ts";
export { type VirtualClock, virtualClock } from "./run/virtual-clock.ts";
