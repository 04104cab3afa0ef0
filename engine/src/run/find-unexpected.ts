import { cut, storable } from "../decide/text.ts";
import type { Collected } from "./collected.ts";
import type { PlannedStage } from "./graph.ts";
import type { Item } from "./item.ts";
import { inputOfTask } from "./look-ups.ts";

const findingBytesMax = 500;

/** Findings about results that their stage does not expect, by subject; null: every result is as expected. */
export function findUnexpected(
  { stage }: PlannedStage,
  items: readonly Item[],
  collected: Collected,
): ReadonlyMap<number, string> | null {
  if (!stage.expects || collected.streamed) return null;
  const findings = new Map<number, string>();
  for (const item of items) {
    const { subject } = item.task;
    const outputs = collected.outputs.get(subject);
    // A forgotten input of a batch fails for that reason.
    if (!outputs || item.members?.length === 0) continue;
    const finding =
      typeof stage.expects === "function"
        ? stage.expects(inputOfTask(item.task, item.members), collected.drafts?.get(subject) ?? [])
        : outputs.length === 0
          ? "no outputs"
          : null;
    if (finding) findings.set(subject, cut(storable(String(finding)), findingBytesMax));
  }
  return findings.size > 0 ? findings : null;
}
