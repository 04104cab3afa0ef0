import { describe, expect, it } from "vitest";
import { countCores, readMachine } from "./cores.ts";

const machine = { cores: 8, quota: null, memoryMb: 32_000 };

describe("the cores for isolated stages", () => {
  it("are all of the machine unless something says otherwise", () => {
    expect(countCores(0, machine)).toEqual({ used: 8, present: 8, limitedBy: "machine" });
    expect(countCores(8, machine)).toMatchObject({ used: 8, limitedBy: "machine" });
  });

  it("are as many as were asked for", () => {
    expect(countCores(3, machine)).toEqual({ used: 3, present: 8, limitedBy: "setting" });
    expect(countCores(6, { ...machine, quota: 2 })).toMatchObject({ used: 6, limitedBy: "setting" });
  });

  it("are never more than there are: 64 announced on 2", () => {
    expect(countCores(64, { ...machine, cores: 2 })).toEqual({ used: 2, present: 2, limitedBy: "machine" });
  });

  it("follow the quota of a container, rounded up", () => {
    expect(countCores(0, { ...machine, cores: 64, quota: 1.5 })).toMatchObject({
      used: 2,
      limitedBy: "quota",
    });
    expect(countCores(0, { ...machine, cores: 64, quota: 0.2 })).toMatchObject({
      used: 1,
      limitedBy: "quota",
    });
  });

  it("leave room for their processes in a memory of 1 GB, and are at least one in any", () => {
    expect(countCores(0, { ...machine, memoryMb: 1_024 })).toMatchObject({ used: 3, limitedBy: "memory" });
    expect(countCores(0, { ...machine, memoryMb: 200 })).toMatchObject({ used: 1, limitedBy: "memory" });
    expect(countCores(0, { ...machine, cores: 1 })).toEqual({ used: 1, present: 1, limitedBy: "machine" });
  });

  it("can be read from any machine", () => {
    const { cores, quota, memoryMb } = readMachine();
    expect(cores).toBeGreaterThanOrEqual(1);
    expect(memoryMb).toBeGreaterThan(100);
    expect(quota === null || quota > 0).toBe(true);
  });
});
