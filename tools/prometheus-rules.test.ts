import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { seriesNamed } from "../engine/src/watch/series.ts";
import { prometheusFiles } from "./prometheus-files.ts";
import { alertRules } from "./prometheus-rules.ts";
import { repo } from "./source.ts";

const folder = join(repo, "deploy/prometheus");
const promtool = (...words: string[]): string =>
  execFileSync("promtool", words, { cwd: folder, encoding: "utf8", stdio: "pipe" });

describe("the rules of Prometheus", () => {
  beforeAll(() => {
    execFileSync("bash", [join(repo, "tools/services.sh"), "install", "prometheus"], { stdio: "inherit" });
  }, 300_000);

  it("are those of the table", () => {
    for (const { path, text } of prometheusFiles())
      expect(readFileSync(join(repo, path), "utf8"), "run npm run reference").toBe(text);
  });

  it("pass promtool's check", () => {
    expect(promtool("check", "rules", "headway.rules.yml")).toContain(`${alertRules.length} rules found`);
  });

  it("fire when their cause is there, and stay silent when it is not", { timeout: 120_000 }, () => {
    expect(promtool("test", "rules", "headway.rules.test.yml")).toContain("SUCCESS");
  });

  it("name only series that Headway emits", () => {
    const names = alertRules.flatMap(({ alert, expr }) =>
      [...expr.matchAll(/\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g)].map(([name]) => ({ alert, name })),
    );
    expect(names.length).toBeGreaterThan(alertRules.length);
    const isKnown = (name: string) =>
      name === "histogram_quantile" ||
      Boolean(seriesNamed(name) ?? seriesNamed(name.replace(/_(bucket|count)$/, "")));
    expect(names.filter(({ name }) => !isKnown(name))).toEqual([]);
  });

  it("begin with a command that exists", () => {
    const page = readFileSync(join(repo, "docs/reference/commands.md"), "utf8");
    const missing = alertRules.filter(
      ({ command }) => !page.includes(`\n## ${command.replace(/ --.*/, "")}\n`),
    );
    expect(missing.map(({ command }) => command)).toEqual([]);
  });

  it("link to a runbook that exists", () => {
    const missing = alertRules.filter(({ runbook }) => !existsSync(join(repo, "docs/operating", runbook)));
    expect(missing.map(({ alert }) => alert)).toEqual([]);
  });
});
