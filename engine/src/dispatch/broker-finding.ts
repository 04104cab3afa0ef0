/** Expectations that `checkBroker` compares a broker with. */
export interface BrokerCheck {
  readonly url: string;
  readonly exchange: string;
  readonly stages: readonly string[];
  /** Event types accepted from outside. */
  readonly receives: readonly string[];
}

/** One finding about a broker, in one sentence; with advice unless `ok`. */
export interface BrokerFinding {
  readonly state: "ok" | "warn" | "bad";
  readonly says: string;
}

export const ok = (says: string): BrokerFinding => ({ state: "ok", says });
export const warn = (says: string): BrokerFinding => ({ state: "warn", says });
export const bad = (says: string): BrokerFinding => ({ state: "bad", says });
