import { describe, expect, it } from "vitest";
import { retryPolicies } from "./retry.ts";
import { withRetryVariables } from "./retry-variables.ts";

const policies = retryPolicies({ attempts: 4 });

describe("the environment variables of the seeds", () => {
  it("change nothing when they are not set", () => {
    expect(withRetryVariables(policies, "archives", { RETRY_MAX_ATTEMPTS: "" })).toEqual(policies);
  });

  it("shape the waiting for documents that are not there yet", () => {
    const changed = withRetryVariables(policies, "messages", {
      RETRY_MAX_ATTEMPTS: "5",
      RETRY_BASE_DELAY_MS: "100",
      RETRY_BACKOFF_FACTOR: "3",
      RETRY_MAX_DELAY_SECONDS: "10",
      RETRY_TTL_MINUTES: "2",
    });
    expect(changed["not-found-yet"]).toEqual({
      attemptsMax: 5,
      initialMs: 100,
      multiplier: 3,
      maxMs: 10_000,
      jitter: "full",
      ttlMs: 120_000,
    });
    expect(changed.transient).toEqual(policies.transient);
  });

  it("limit the tries by collection", () => {
    const environment = { RETRY_JOB_MAX_ATTEMPTS_ARCHIVES: "3" };
    expect(withRetryVariables(policies, "archives", environment).transient.attemptsMax).toBe(3);
    expect(withRetryVariables(policies, "archives", environment).unknown.attemptsMax).toBe(3);
    expect(withRetryVariables(policies, "chunks", environment).transient.attemptsMax).toBe(4);
  });

  it.each([
    ["RETRY_MAX_ATTEMPTS", "many", /RETRY_MAX_ATTEMPTS is "many"; it must be a number\./],
    ["RETRY_MAX_ATTEMPTS", "0", /RETRY_MAX_ATTEMPTS makes the retry policy impossible: attempts/],
    ["RETRY_JOB_MAX_DELAY_SECONDS", "1", /RETRY_JOB_MAX_DELAY_SECONDS makes .* the longest delay/],
  ])("refuse %s=%s with one sentence", (variable, value, sentence) => {
    expect(() => withRetryVariables(policies, "archives", { [variable]: value })).toThrow(sentence);
  });
});
