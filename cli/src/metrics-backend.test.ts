import { describe, expect, it } from "vitest";
import { gatewayOf, metricsBackend } from "./metrics-backend.ts";

const url = "http://localhost:9091";

describe("METRICS_BACKEND", () => {
  it("decides whether a sweep pushes, and a flag wins", () => {
    expect(gatewayOf(undefined, {})).toBeUndefined();
    expect(gatewayOf(undefined, { PUSHGATEWAY_URL: url })).toBe(url);
    const pushing = { METRICS_BACKEND: "prometheus_pushgateway", PUSHGATEWAY_URL: url };
    expect(gatewayOf(undefined, pushing)).toBe(url);
    expect(gatewayOf(undefined, { METRICS_BACKEND: "noop", PUSHGATEWAY_URL: url })).toBeUndefined();
    expect(gatewayOf(url, { METRICS_BACKEND: "noop" })).toBe(url);
  });

  it("is refused if misspelt, or without an address to push to", () => {
    expect(() => metricsBackend({ METRICS_BACKEND: "prometeus" })).toThrow(
      'METRICS_BACKEND is "prometeus"; expected prometheus, prometheus_pushgateway, noop.',
    );
    expect(() => gatewayOf(undefined, { METRICS_BACKEND: "prometheus_pushgateway" })).toThrow(
      "PUSHGATEWAY_URL is missing",
    );
  });
});
