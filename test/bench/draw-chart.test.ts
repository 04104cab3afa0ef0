import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawChart, type Panel, panelsOf } from "../../bench/draw-chart.ts";
import { keepResult, type Result, readResults } from "../../bench/results.ts";

const none = { headway: null };
const aResult = (at: string, completions: Record<string, number | null>): Result => ({
  at,
  commit: "abc1234",
  changed: false,
  machine: { cores: 2 },
  repetitions: 3,
  found: [],
  summary: {
    completionsPerSecond: completions,
    wakeMs: none,
    recoveryMs: none,
    pipelineDocsPerSecond: none,
    costGrowth: {},
  },
});

/** The elements of a picture in order; throws where one is not closed by its own name. */
function parse(
  svg: string,
): readonly { readonly name: string; readonly attributes: ReadonlyMap<string, string> }[] {
  const found: { name: string; attributes: Map<string, string> }[] = [];
  const open: string[] = [];
  const text = svg.replace(
    /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/gi,
    (_, end, name, attributes, alone) => {
      if (end) {
        if (open.pop() !== name) throw new Error(`</${name}> closes another element.`);
      } else {
        const pairs = [...String(attributes).matchAll(/([\w:-]+)="([^"]*)"/g)];
        found.push({
          name,
          attributes: new Map(pairs.map(([, key, value]) => [key as string, value as string])),
        });
        if (!alone) open.push(name);
      }
      return "";
    },
  );
  if (open.length > 0) throw new Error(`<${open[0]}> is never closed.`);
  if (/[<>]|&(?!(amp|lt|gt|quot);)/.test(text)) throw new Error(`"${text}" is not escaped.`);
  return found;
}

const circlesOf = (svg: string) => parse(svg).filter(({ name }) => name === "circle");

describe("the chart of all runs", () => {
  it("has a point for each value, higher where the value is higher, and none where nothing was measured", () => {
    const results = [
      aResult("2026-11-01T10:00:00Z", { headway: 10_000, dbos: null }),
      aResult("2026-11-02T10:00:00Z", { headway: 40_000, dbos: 500 }),
      aResult("2026-11-03T10:00:00Z", { headway: 20_000, dbos: null }),
    ];
    const circles = circlesOf(drawChart(panelsOf(results)));
    expect(circles).toHaveLength(4);
    const [first, second, third] = circles.map(({ attributes }) => ({
      x: Number(attributes.get("cx")),
      y: Number(attributes.get("cy")),
    }));
    expect(first!.x).toBeLessThan(second!.x);
    expect(second!.x).toBeLessThan(third!.x);
    expect(second!.y).toBeLessThan(third!.y);
    expect(third!.y).toBeLessThan(first!.y);
  });

  it("is drawn from what earlier runs kept, oldest first", () => {
    const folder = mkdtempSync(join(tmpdir(), "headway-results-"));
    try {
      const [older, newer] = ["2026-11-01T10:00:00Z", "2026-11-02T10:00:00Z"].map((at) =>
        aResult(at, { headway: 1 }),
      );
      keepResult(newer!, folder);
      keepResult(older!, folder);
      expect(readResults(folder)).toEqual([older, newer]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("is well-formed and inside its frame, whatever it shows", () => {
    const value = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }));
    const panel: fc.Arbitrary<Panel> = fc.nat(12).chain((runs) =>
      fc.record({
        title: fc.string(),
        runs: fc.array(fc.string(), { minLength: runs, maxLength: runs }),
        series: fc.array(
          fc.record({ name: fc.string(), values: fc.array(value, { minLength: runs, maxLength: runs }) }),
          { maxLength: 8 },
        ),
      }),
    );
    fc.assert(
      fc.property(fc.array(panel, { maxLength: 4 }), (panels) => {
        const expected = panels
          .flatMap(({ series }) => series.flatMap(({ values }) => values))
          .filter((v) => v !== null);
        const circles = circlesOf(drawChart(panels));
        expect(circles).toHaveLength(expected.length);
        for (const { attributes } of circles) {
          expect(Number(attributes.get("cx"))).toBeGreaterThanOrEqual(0);
          expect(Number(attributes.get("cx"))).toBeLessThanOrEqual(760);
          expect(Number(attributes.get("cy"))).toBeGreaterThanOrEqual(0);
          expect(Number(attributes.get("cy"))).toBeLessThanOrEqual(220);
        }
      }),
      { numRuns: 60 },
    );
  });
});
