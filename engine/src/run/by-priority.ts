import type { Controls } from "./controls.ts";
import type { PlannedStage } from "./graph.ts";

/** Lanes in the order of their stages' priorities in force, the larger first. */
export const byPriority = <Lane extends { readonly plan: PlannedStage }>(
  lanes: readonly Lane[],
  controls: Pick<Controls, "settings">,
): readonly Lane[] =>
  [...lanes].sort((a, b) => controls.settings(b.plan).priority - controls.settings(a.plan).priority);
