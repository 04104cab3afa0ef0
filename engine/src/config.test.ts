import { describe, expect, it } from "vitest";
import { type Config, knobs, parseSettings, readConfig } from "./config.ts";
import { isRetryVariable } from "./define/retry-variables.ts";

const effectiveOf = (name: keyof Config, given = {}, environment = {}) =>
  readConfig(given, environment).effective.find((one) => one.name === name);

describe("configuration", () => {
  it("has a default for every knob, within its own limits", () => {
    const { config, effective } = readConfig();
    for (const [name, knob] of Object.entries(knobs)) {
      expect(config[name as keyof Config]).toBe(knob.value);
      expect(knob.value).toBeGreaterThanOrEqual(knob.least);
      expect(knob.value).toBeLessThanOrEqual(knob.most);
    }
    expect(effective.every((one) => one.source === "default")).toBe(true);
  });

  it("says where a value came from: code goes over the environment, the environment over the default", () => {
    expect(effectiveOf("pollMs", {}, { HEADWAY_POLL: "250ms" })).toMatchObject({
      value: 250,
      source: "environment",
      shown: "250ms",
    });
    expect(effectiveOf("pollMs", { pollMs: 90 }, { HEADWAY_POLL: "250ms" })).toMatchObject({
      value: 90,
      source: "code",
    });
    expect(effectiveOf("batchMax", {}, { HEADWAY_BATCH_MAX: "7" })).toMatchObject({
      value: 7,
      source: "environment",
    });
  });

  it("takes a file under the same names, below the environment", () => {
    const file = parseSettings(
      '{"HEADWAY_POLL": "250ms", "HEADWAY_SLOTS": 7}',
      "settings.json",
      isRetryVariable,
    );
    const { effective } = readConfig({}, { HEADWAY_SLOTS: "9" }, file);
    expect(effective.find((one) => one.name === "pollMs")).toMatchObject({ value: 250, source: "file" });
    expect(effective.find((one) => one.name === "slots")).toMatchObject({ value: 9, source: "environment" });
  });

  it.each([
    ["{", /^settings\.json is not JSON: /],
    ["[]", /must hold one JSON object/],
    ['{"HEADWAY_PULL": "1s"}', /sets HEADWAY_PULL, which nobody reads/],
    ['{"RETRY_JOB_MAX_ATTEMPTS_CHUNKS": {}}', /neither a text nor a number/],
  ])("refuses the settings file %s with one sentence", (text, sentence) => {
    expect(() => parseSettings(text, "settings.json", isRetryVariable)).toThrow(sentence);
  });

  it("understands the sweep's interval in the seconds of the seeds", () => {
    expect(effectiveOf("sweepMs", {}, { RETRY_JOB_INTERVAL_SECONDS: "900" })).toMatchObject({
      value: 900_000,
      shown: "15m",
    });
  });

  it("treats an empty variable as not set", () => {
    expect(effectiveOf("pollMs", {}, { HEADWAY_POLL: "" })?.source).toBe("default");
  });

  it.each([
    [{ HEADWAY_POLL: "soon" }, 'HEADWAY_POLL is "soon"; write a number and a unit, such as "1s".'],
    [{ HEADWAY_POLL: "2h" }, "HEADWAY_POLL is 2h; it must be from 10ms to 1m."],
    [{ HEADWAY_SLOTS: "-3" }, "HEADWAY_SLOTS is -3; it must be from 1 to 10000."],
    [{ HEADWAY_SLOTS: "some" }, 'HEADWAY_SLOTS is "some"; slots must be a number.'],
    [{ HEADWAY_SLOTS: "1.5" }, "HEADWAY_SLOTS is 1.5; it must be from 1 to 10000."],
    [{ HEADWAY_HEARTBEAT: "15s" }, "give it at least two heartbeats"],
  ])("refuses %o with one sentence", (environment, sentence) => {
    expect(() => readConfig({}, environment)).toThrow(sentence);
  });
});
