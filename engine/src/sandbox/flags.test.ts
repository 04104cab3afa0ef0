import { describe, expect, it } from "vitest";
import { childEnvironment, nodeFlags } from "./flags.ts";
import { writingWall } from "./walls.ts";

const flagsFor = (module: string, ownFlags: string[]) =>
  nodeFlags({ module, memoryMb: 512, env: [], allow: ["writing"], makes: [] }, ownFlags);

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

  it("has the variables of the system and those it declares, no secret and no debugger", () => {
    const isolated = { HOME: "here", HEADWAY_ISOLATED: "1" };
    const secrets = {
      HEADWAY_LLM_KEY: "k",
      AWS_SECRET_ACCESS_KEY: "s",
      HEADWAY_DATABASE_URL: "postgres://u:p@h/d",
    };
    const own = (options: string) => childEnvironment({ env: [] }, { HOME: "here", NODE_OPTIONS: options });
    expect(childEnvironment({ env: [] }, { HOME: "here", ...secrets })).toEqual(isolated);
    expect(childEnvironment({ env: ["AWS_SECRET_ACCESS_KEY"] }, { HOME: "here", ...secrets })).toEqual({
      ...isolated,
      AWS_SECRET_ACCESS_KEY: "s",
    });
    expect(own("--inspect-brk=127.0.0.1:9229")).toEqual(isolated);
    expect(own("--inspect --no-warnings").NODE_OPTIONS?.trim()).toBe("--no-warnings");
  });

  it("writes nothing where Node has permissions and no loader needs to", () => {
    const flags = writingWall([], true);
    expect(flags[0]).toBe("--permission");
    expect(flags.filter((flag) => /allow-(child|fs-write=\*|addons|wasi)/.test(flag))).toEqual([]);
    expect(writingWall(["--import=file:///tsx"], true)).toEqual([]);
    expect(writingWall([], false)).toEqual([]);
  });
});
