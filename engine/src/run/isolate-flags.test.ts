import { describe, expect, it } from "vitest";
import { childEnvironment, nodeFlags } from "./isolate-flags.ts";

const flagsFor = (module: string, ownFlags: string[]) => nodeFlags({ module, memoryMb: 512 }, ownFlags);

describe("the process of an isolated stage", () => {
  it("finds and reads modules as the one that starts it does, and has no debugger or limit of that one", () => {
    const own = ["--inspect=9229", "-C", "own", "--import", "./hooks.mjs", "--experimental-vm-modules"];
    const others = [
      "--max-old-space-size=9000",
      "--require=./first.cjs",
      "--input-type=module",
      "--eval",
      "1",
    ];
    expect(flagsFor("file:///stages.js", [...own, ...others])).toEqual([
      ...["-C", "own", "--import", "./hooks.mjs", "--experimental-vm-modules", "--require=./first.cjs"],
      ...["--max-old-space-size=512", "--max-semi-space-size=16"],
    ]);
  });

  it("reads TypeScript with the tsx of its module, or else that of the engine", () => {
    for (const module of [import.meta.url, "file:///elsewhere/stages.mts?v=2"]) {
      expect(flagsFor(module, [])).toEqual([
        "--conditions=@headway/source",
        expect.stringMatching(/^--import=file:.*\/tsx\//),
        ...["--max-old-space-size=512", "--max-semi-space-size=16"],
      ]);
    }
  });

  it("has the environment of the one that starts it, without a debugger", () => {
    const isolated = { HOME: "here", HEADWAY_ISOLATED: "1" };
    const own = (options: string) => childEnvironment({ HOME: "here", NODE_OPTIONS: options });
    expect(childEnvironment({ HOME: "here" })).toEqual(isolated);
    expect(own("--inspect-brk=127.0.0.1:9229")).toEqual(isolated);
    expect(own("--inspect --no-warnings").NODE_OPTIONS?.trim()).toBe("--no-warnings");
  });
});
