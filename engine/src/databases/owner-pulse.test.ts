import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { readPulse, tellSilence } from "./owner-pulse.ts";

const silence = {
  pid: 4_711,
  folder: "/data",
  since: new Date("2026-01-01T12:00:00Z"),
  overMs: 20_000,
  before: { state: "S", cpuMs: 1_000 },
  after: { state: "S", cpuMs: 1_000 },
};

describe("a process that does not answer", () => {
  it("is busy when it uses CPU time: it is left alone, and SIGTERM is what ends it", () => {
    const told = tellSilence({ ...silence, after: { state: "R", cpuMs: 19_000 } });
    expect(told).toContain("has been busy since 2026-01-01T12:00:00Z (18.0 s of CPU time in 20 s)");
    expect(told).toContain("kill -TERM 4711");
    expect(told).not.toContain("-9");
  });

  it("is stopped, or hangs, and then the sentence says how to go on", () => {
    expect(tellSilence({ ...silence, after: { state: "T", cpuMs: 1_000 } })).toContain("kill -CONT 4711");
    const hung = tellSilence(silence);
    expect(hung).toMatch(/does next to nothing: end it with "kill -TERM 4711"/);
    expect(tellSilence({ ...silence, before: null, after: null, since: null })).toContain(
      "has not answered, and",
    );
  });

  it("has a pulse that the system shows, and none when it is gone", async () => {
    if (process.platform !== "linux") return;
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    await once(child, "spawn");
    expect((await readPulse(child.pid as number))?.cpuMs).toBeGreaterThanOrEqual(0);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await readPulse(child.pid as number)).toBeNull();
  });
});
