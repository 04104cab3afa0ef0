import { describe, expect, it } from "vitest";
import { aStory, plainWords } from "../../test/stories.ts";
import { textOfThread } from "./text.ts";
import { threadReport } from "./thread-report.ts";

const same = (text: string): string => text;
const style = { columns: 60, bold: same, dim: same, why: false };

describe("a report on a terminal", () => {
  const report = threadReport(aStory(plainWords));

  it("fits the terminal and has no markup", () => {
    const text = textOfThread(report, style);
    expect(text).toContain("Positions");
    expect(text).not.toMatch(/^#|\*\*|\]\(#|<a |\|/m);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  });

  it("says why only if asked", () => {
    const because = report.positions[0]?.because ?? "";
    expect(because).not.toBe("");
    expect(textOfThread(report, style)).not.toContain("because: ");
    expect(textOfThread(report, { ...style, why: true })).toContain(`because: ${because.split(" ")[0]}`);
  });

  it("calls one voice and a maintainer's decision no consensus", () => {
    const outcome = { level: "rough", confidence: 0.7, reasons: [] } as const;
    const alone = textOfThread({ ...report, outcome, tally: null, positions: [] }, style);
    expect(alone).toContain("Decided without a discussion");
    expect(alone).not.toContain("Rough consensus");
    const voted = textOfThread({ ...report, outcome, tally: { for: 3, against: 1, abstain: 0 } }, style);
    expect(voted).toContain("Rough consensus");
  });

  it("carries no control characters of a mail", () => {
    const hostile = threadReport({
      ...aStory(plainWords),
      thread: { ...aStory(plainWords).thread, subject: "\u001b[2Jx\u202ey" },
    });
    const text = textOfThread(hostile, style);
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain("\u202e");
  });
});
