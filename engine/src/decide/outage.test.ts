import { expect, test } from "vitest";
import { type Fault, type FaultKind, faultKinds } from "./fault.ts";
import { suspicionOf } from "./outage.ts";

const aFault = (kind: FaultKind, more: Partial<Fault> = {}): Fault => ({
  kind,
  code: "test.fault",
  message: "It did not work.",
  fingerprint: "0123456789ab",
  dependency: "llm",
  ...more,
});

test("a fault that no service is known for speaks against none", () => {
  for (const kind of faultKinds) {
    const { dependency: _, ...fault } = aFault(kind, { outage: true });
    expect(suspicionOf(fault)).toBeNull();
  }
});

test.each<[string, Fault, ReturnType<typeof suspicionOf>]>([
  ["a refused connection", aFault("transient", { outage: true }), "certain"],
  ["HTTP 500", aFault("transient", { code: "http.500" }), "possible"],
  ["a time-out", aFault("transient", { code: "stage.timeout" }), "possible"],
  ["an error that nobody knows", aFault("unknown"), "possible"],
  ["HTTP 401", aFault("permanent", { code: "http.401" }), "possible"],
  ["HTTP 422", aFault("permanent", { code: "http.422" }), null],
  ["a rate limit", aFault("rate-limited", { code: "http.429" }), null],
  ["a document that is not there yet", aFault("not-found-yet"), null],
])("%s", (_, fault, suspicion) => {
  expect(suspicionOf(fault)).toBe(suspicion);
});
