import type { Fault } from "./fault.ts";

/**
 * How far a fault speaks against the service that it came from. `certain`: nothing but the service can be the cause (refused,
 * 502, unreachable), so even a lone document shows an outage. `possible`: a document may be the cause as well (500, a
 * time-out, garbage, 401), so only different documents show one.
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

/** The caller is refused, not the document: a key that ran out, an account without money, a proxy. */
const refusals: ReadonlySet<string> = new Set(["http.401", "http.402", "http.403", "http.407"]);

/** A document whose failures were forgiven in so many outages is no evidence for another one. */
export const outagesMax = 3;
