import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { seriesNamed } from "../engine/src/watch/series.ts";
import { dashboards } from "./grafana-dashboards.ts";
import { grafanaFiles } from "./grafana-files.ts";
import { repo } from "./source.ts";

describe("the dashboards of Grafana", () => {
  it("are those of the table", () => {
    for (const { path, text } of grafanaFiles())
      expect(readFileSync(join(repo, path), "utf8"), "run npm run reference").toBe(text);
  });

  it("have the names that the seeds ask for", () => {
    const titles = dashboards.map(({ title }) => title);
    expect(titles).toEqual(expect.arrayContaining(["Failed Queues", "Retry Policy Monitoring"]));
    const retry = dashboards.find(({ title }) => title === "Retry Policy Monitoring");
    expect(retry?.panels.slice(0, 5).map(({ title }) => title)).toEqual([
      "Stuck Documents",
      "Retry Rate",
      "Max Retries Exceeded",
      "Backoff Skipped",
      "Job Duration",
    ]);
  });

  it("name only series that Headway emits", () => {
    const named = dashboards
      .flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr)))
      .flatMap((expr) => [...expr.matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b(?=[[{)\s]|$)/g)].map(([name]) => name))
      .map((name) => name.replace(/_bucket$/, ""))
      .filter((name) => !/^(histogram_quantile|error_type|rabbitmq_\w+)$/.test(name));
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => !seriesNamed(name))).toEqual([]);
  });
});
