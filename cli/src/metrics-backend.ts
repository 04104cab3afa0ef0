import { Refusal } from "./exit-codes.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Ways for metrics to leave, by the seeds' variable `METRICS_BACKEND`. */
export const metricsBackends = ["prometheus", "prometheus_pushgateway", "noop"] as const;
export type MetricsBackend = (typeof metricsBackends)[number];

/** Null: not set, so `/metrics` is served, and sweeps push if `PUSHGATEWAY_URL` is set. */
export function metricsBackend(variables: Variables): MetricsBackend | null {
  const word = variables.METRICS_BACKEND;
  if (!word) return null;
  const found = metricsBackends.find((backend) => backend === word);
  if (found) return found;
  throw new Refusal(`METRICS_BACKEND is "${word}"; expected ${metricsBackends.join(", ")}.`, 2);
}

/** The Pushgateway of a sweep: the flag wins over the variables. */
export function gatewayOf(flag: string | undefined, variables: Variables): string | undefined {
  if (flag !== undefined) return flag;
  const gateway = variables.PUSHGATEWAY_URL || undefined;
  switch (metricsBackend(variables)) {
    case null:
      return gateway;
    case "prometheus":
    case "noop":
      return undefined;
    case "prometheus_pushgateway":
      if (gateway !== undefined) return gateway;
      throw new Refusal(
        "METRICS_BACKEND is prometheus_pushgateway and PUSHGATEWAY_URL is missing; set the variable to an address such as http://localhost:9091.",
        2,
      );
  }
}
