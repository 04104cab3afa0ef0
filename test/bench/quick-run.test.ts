import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const execute = promisify(execFile);
const flags = ["--conditions=@headway/source", "--import", "tsx"];

it("a quick run measures ours, reports a peer that cannot be had as absent, and ends with its summary", {
  timeout: 120_000,
}, async () => {
  const rows = [`Headway, Node ${process.versions.node.split(".")[0]}`, "pg-boss, batch 100", "server alone"];
  const words = ["--quick", "--only", "a,i", ...rows.flatMap((row) => ["--rows", row])];
  // Without npm and npx on the path there are no peers, as on a machine without a network.
  const env = { ...process.env, PATH: "/nowhere" };
  const { stdout } = await execute(process.execPath, [...flags, "bench/main.ts", ...words], { env });
  const lines = stdout.trim().split("\n");
  const { completionsPerSecond } = JSON.parse(lines.at(-1) as string);
  expect(completionsPerSecond.headway).toBeGreaterThan(0);
  expect(stdout).toContain("fsync on");
  expect(stdout).toMatch(/as a share of the line above \| \d+ %/);
  if (!process.version.startsWith("v24."))
    expect(stdout).toContain("pg-boss, batch 100 | absent: there is no Node 24, and npx could not fetch it");
});
