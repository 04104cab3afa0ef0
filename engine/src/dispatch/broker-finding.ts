/** What a broker is compared with. */
export interface BrokerCheck {
  readonly url: string;
  readonly exchange: string;
  readonly stages: readonly string[];
  /** Types of events that are taken from outside. */
  readonly receives: readonly string[];
}

/** How a broker is: one sentence, and if it is not well, what to do. */
export interface BrokerFinding {
  readonly state: "ok" | "warn" | "bad";
  readonly says: string;
}

export const ok = (says: string): BrokerFinding => ({ state: "ok", says });
export const warn = (says: string): BrokerFinding => ({ state: "warn", says });
export const bad = (says: string): BrokerFinding => ({ state: "bad", says });
