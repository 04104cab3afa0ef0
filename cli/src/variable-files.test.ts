import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isKnownVariable, refuseUnknownVariables } from "./known-variables.ts";
import { readVariableFiles } from "./variable-files.ts";

describe("a variable that is given as a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "headway-variables-"));
  const file = join(folder, "key");
  beforeAll(() => writeFileSync(file, "s3cret\n"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const read = (variables: Record<string, string>) => readVariableFiles(variables, isKnownVariable);

  it("has the content of the file, without the last line break", () => {
    expect(read({ HEADWAY_LLM_KEY_FILE: file, PATH: "/bin" })).toEqual({ HEADWAY_LLM_KEY: "s3cret" });
    expect(read({ RETRY_JOB_INTERVAL_SECONDS_FILE: file })).toEqual({ RETRY_JOB_INTERVAL_SECONDS: "s3cret" });
    refuseUnknownVariables({ HEADWAY_LLM_KEY_FILE: file });
  });

  it("is refused beside the variable itself, and without saying either value", () => {
    expect(() => read({ HEADWAY_LLM_KEY: "a", HEADWAY_LLM_KEY_FILE: file })).toThrow(
      /^Both HEADWAY_LLM_KEY and HEADWAY_LLM_KEY_FILE are set: unset one of them\.$/,
    );
  });

  it("is refused where the file is missing or too large", () => {
    const missing = join(folder, "missing");
    expect(() => read({ HEADWAY_BROKER_URL_FILE: missing })).toThrow("HEADWAY_BROKER_URL_FILE names");
    const large = join(folder, "large");
    writeFileSync(large, "x".repeat(70_000));
    expect(() => read({ HEADWAY_BROKER_URL_FILE: large })).toThrow("larger than 64 kB");
  });

  it("that stands for no variable is refused like any unknown name", () => {
    expect(read({ HEADWAY_XYZZY_FILE: file })).toEqual({});
    expect(() => refuseUnknownVariables({ HEADWAY_XYZZY_FILE: file })).toThrow(
      "Nobody reads HEADWAY_XYZZY_FILE",
    );
  });
});
