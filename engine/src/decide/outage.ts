import type { Fault } from "./fault.ts";

/**
 * How far a fault speaks against its service. `certain`: only the service can be the cause (refused, 502, unreachable),
 * so a lone document shows an outage. `possible`: a document may be the cause as well (500, a timeout, garbage, 401),
 * so only different documents show an outage.
 */
export type Suspicion = "certain" | "possible";

export function suspicionOf({ kind, code, dependency, outage }: Fault): Suspicion | null {
  if (dependency === undefined) return null;
  if (outage) return "certain";
  switch (kind) {
    case "transient":
    case "unknown":
      return "possible";
    case "permanent":
      return refusals.has(code) ? "possible" : null;
    case "rate-limited":
    case "not-found-yet":
      return null;
  }
}

/** Faults of calls over a network: the only service of a stage is meant, even if the stage called it by other means. */
export const isOfNetwork = ({ kind, code, outage }: Fault): boolean =>
  outage === true || refusals.has(code) || (kind === "transient" && networkCodes.test(code));

const networkCodes = /^(?:http\.|connection\.|answer\.|timeout$|aborted$|stage\.timeout$)/;

/** The caller is refused, not the document: a key that ran out, an account without money, a proxy. */
const refusals: ReadonlySet<string> = new Set(["http.401", "http.402", "http.403", "http.407"]);

/** A document that has shown so many outages is no evidence for another one. */
export const outagesMax = 3;

/** Belief in an outage shown by documents: five minutes for each different document that failed in it, at most a day. */
export const beliefMs = 300_000;
export const beliefMsMax = 24 * 3_600_000;
