import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findConfig, takeAppOption } from "./find-config.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "headway-config-"));
  mkdirSync(join(folder, "a/b"), { recursive: true });
  writeFileSync(join(folder, "headway.config.mjs"), "");
  writeFileSync(join(folder, "a/headway.config.ts"), "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a configuration", () => {
  test("is the nearest one from the folder upwards", () => {
    expect(findConfig(undefined, join(folder, "a/b"))).toBe(join(folder, "a/headway.config.ts"));
    expect(findConfig(undefined, folder)).toBe(join(folder, "headway.config.mjs"));
  });

  test("is the file, or in the folder, that is named", () => {
    expect(findConfig("a", folder)).toBe(join(folder, "a/headway.config.ts"));
    expect(findConfig("a/headway.config.ts", folder)).toBe(join(folder, "a/headway.config.ts"));
    expect(() => findConfig("b", folder)).toThrow("--app names b, where there is no headway.config.ts");
  });

  test("is named before or after the command, but not behind --", () => {
    expect(takeAppOption(["--app", "x", "status"])).toEqual({ app: "x", rest: ["status"] });
    expect(takeAppOption(["status", "--app=x"])).toEqual({ app: "x", rest: ["status"] });
    expect(takeAppOption(["explain", "--", "--app"])).toEqual({
      app: undefined,
      rest: ["explain", "--", "--app"],
    });
    expect(() => takeAppOption(["status", "--app"])).toThrow("needs the path");
  });
});
