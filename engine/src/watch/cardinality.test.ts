import { describe, expect, it } from "vitest";
import { countSignals } from "./counters.ts";
import { prometheusText } from "./prometheus-text.ts";
import type { Known } from "./series.ts";

const known = (stages: number): Known => ({
  stages: Array.from({ length: stages }, (_, at) => `stage-${at}`),
  lastStages: ["stage-0", "stage-1"],
  collections: Array.from({ length: stages + 1 }, (_, at) => `collection-${at}`),
  dependencies: ["embedder", "llm", "library"],
});

/** Lines of samples that a process shows before its first event. */
function countSamples(stages: number): number {
  const counters = countSignals();
  counters.expect(known(stages));
  const lines = prometheusText(counters.snapshot()).split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#")).length;
}

describe("the number of series", () => {
  it("of a worker with eight stages is at most 1,200, and of a further stage at most 90", () => {
    expect(countSamples(8)).toBeLessThanOrEqual(1_200);
    expect(countSamples(9) - countSamples(8)).toBeLessThanOrEqual(90);
  });
});
