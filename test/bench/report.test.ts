import { describe, expect, it } from "vitest";
import { contenders } from "../../bench/contenders.ts";
import { type Found, markdownOf, summaryOf } from "../../bench/report.ts";

const [ours, , ...others] = contenders;
const labelOf = (key: string) => others.filter((one) => one.key === key).map(({ label }) => label);

const found = (
  letter: Found["letter"],
  row: string,
  samples: Found["samples"],
  reference = false,
): Found => ({
  letter,
  row,
  samples,
  reference,
  absent: null,
});

const all: readonly Found[] = [
  found("i", "the same write set, by the server alone", { perSecond: [100_000, 90_000, 110_000] }),
  found("a", ours!.label, { perSecond: [40_000, 50_000, 45_000] }, true),
  found("a", labelOf("pgBoss")[0]!, { perSecond: [10_000] }),
  found("a", labelOf("pgBoss")[1]!, { perSecond: [22_500] }),
  { ...found("a", labelOf("dbos")[0]!, {}), absent: "there is no Node 24" },
  found("c", ours!.label, { p50: [2], p99: [5] }, true),
  found("c", labelOf("bullmq")[0]!, { p50: [1], p99: [9] }),
  found("d", ours!.label, { ms: [900] }, true),
  found("f", "10k kept", { microseconds: [20, 22, 21] }, true),
  found("f", "1M kept", { microseconds: [25.2] }),
];

describe("the report of a run", () => {
  it("tells medians with least and most, and how many times as good ours is", () => {
    const markdown = markdownOf(all);
    expect(markdown).toContain(`| ${ours!.label} | 45,000 (40,000–50,000) | 1.00 |`);
    expect(markdown).toContain(`| ${labelOf("pgBoss")[1]} | 22,500 | 2.00 |`);
    // Of a time, less is better: the one that wakes up in half the time is twice as good.
    expect(markdown).toContain(`| ${labelOf("bullmq")[0]} | 1.00 | 9.00 | 0.50 |`);
    expect(markdown).toContain(`| ${ours!.label}, as a share of the line above | 45 % |`);
  });

  it("says who was absent and why, and what was only documented", () => {
    const markdown = markdownOf(all);
    expect(markdown).toContain("absent: there is no Node 24");
    expect(markdown).toContain("graphile-worker, as documented, not measured | 14,400,000");
  });

  it("ends with one line of the agreed shape, in which a peer's best settings count", () => {
    expect(summaryOf(all)).toEqual({
      completionsPerSecond: {
        headway: 45_000,
        headwayPglite: null,
        pgBoss: 22_500,
        graphileWorker: null,
        bullmq: null,
        dbos: null,
      },
      wakeMs: { headway: 2, headwayPglite: null, pgBoss: null, graphileWorker: null, bullmq: 1, dbos: null },
      recoveryMs: { headway: 900, pgBoss: 900_000, graphileWorker: 14_400_000, bullmq: 60_000, dbos: null },
      pipelineDocsPerSecond: {
        headway: null,
        headwayPglite: null,
        pgBoss: null,
        graphileWorker: null,
        bullmq: null,
        dbos: null,
      },
      costGrowth: { "10k": 1, "1M": 1.2 },
    });
  });
});
