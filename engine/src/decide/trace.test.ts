import { describe, expect, it } from "vitest";
import {
  acceptSpanOf,
  attemptSpanOf,
  readTraceparent,
  requestOf,
  toTraceparent,
  traceIdOf,
} from "./trace.ts";

const request = "0190aaaa-bbbb-4ccc-8ddd-eeeeffff0001";

describe("trace context", () => {
  it("has the request as trace, and another span for each attempt and document", () => {
    expect(traceIdOf(request)).toBe("0190aaaabbbb4ccc8dddeeeeffff0001");
    expect(requestOf(`req_${request}.stage_parsing.retry_0`)).toBe(request);
    const spans = [
      acceptSpanOf(request),
      attemptSpanOf(`req_${request}.stage_parsing.retry_0`, "a"),
      attemptSpanOf(`req_${request}.stage_parsing.retry_1`, "a"),
      attemptSpanOf(`req_${request}.stage_parsing.retry_0`, "b"),
    ];
    expect(new Set(spans).size).toBe(4);
    for (const one of spans) expect(one).toMatch(/^[0-9a-f]{16}$/);
  });

  it("reads what it writes, and later versions of the standard", () => {
    const span = { traceId: traceIdOf(request), spanId: acceptSpanOf(request) };
    expect(readTraceparent(toTraceparent(span))).toEqual(span);
    expect(readTraceparent(`cc-${span.traceId}-${span.spanId}-01-what-the-future-brings`)).toEqual(span);
  });

  it.each([
    undefined,
    7,
    "",
    "00-0190-01",
    `00-${"0".repeat(32)}-${"1".repeat(16)}-01`,
    `00-${"1".repeat(32)}-${"0".repeat(16)}-01`,
    `ff-${"1".repeat(32)}-${"1".repeat(16)}-01`,
    `00-${"1".repeat(32)}-${"1".repeat(16)}-01-more`,
    `00-${"A".repeat(32)}-${"1".repeat(16)}-01`,
    `00-${"1".repeat(5_000)}`,
  ])("ignores %s", (text) => {
    expect(readTraceparent(text)).toBeNull();
  });
});
