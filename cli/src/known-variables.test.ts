import { describe, expect, it } from "vitest";
import { placeVariables, refuseUnknownVariables } from "./known-variables.ts";

describe("variables of the environment", () => {
  it("that nobody reads are refused with the nearest name", () => {
    expect(() => refuseUnknownVariables({ HEADWAY_DATABSE_URL: "x" })).toThrow(
      "Nobody reads HEADWAY_DATABSE_URL; did you mean HEADWAY_DATABASE_URL? See all settings with: headway config",
    );
    expect(() => refuseUnknownVariables({ RETRY_MAX_ATEMPTS: "3" })).toThrow(
      "did you mean RETRY_MAX_ATTEMPTS?",
    );
    expect(() => refuseUnknownVariables({ HEADWAY_XYZZY: "" })).toThrow(
      /^Nobody reads HEADWAY_XYZZY See all/,
    );
  });

  it("that somebody reads, or that belong to another program, are left alone", () => {
    const known = Object.fromEntries(Object.keys(placeVariables).map((name) => [name, "x"]));
    refuseUnknownVariables({
      ...known,
      HEADWAY_POLL: "1s",
      HEADWAY_LLM_KEY: "k",
      RETRY_JOB_MAX_ATTEMPTS_ORDERS: "3",
      HEADWAY_TEST_POSTGRES: "x",
      MY_HEADWAY: "x",
      PATH: "/bin",
    });
    refuseUnknownVariables({ HEADWAY_MINE: "x" }, ["HEADWAY_MINE"]);
  });
});
