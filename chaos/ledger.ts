import type { Handed } from "./feeder.ts";

/** Documents sent against documents found, in Jepsen's words. */
export interface Ledger {
  /** Documents sent. */
  readonly attempted: number;
  /** Acknowledged by the engine. */
  readonly acknowledged: number;
  /** Acknowledged and present; or deleted by an operator and gone. */
  readonly ok: number;
  /** Acknowledged and missing. */
  readonly lost: readonly string[];
  /** Never acknowledged, but present: only the answer was lost. */
  readonly recovered: number;
  /** Present but never sent; or deleted and present again. */
  readonly unexpected: readonly string[];
}

/** `found`: names of existing documents from outside, as `collection/id`. */
export function keepLedger(handed: readonly Handed[], found: ReadonlySet<string>): Ledger {
  const nameOf = (one: Handed) => `${one.collection}/${one.id}`;
  const there = (one: Handed) => found.has(nameOf(one));
  const acknowledged = handed.filter((one) => one.acknowledged);
  const known = new Set(handed.map(nameOf));
  return {
    attempted: handed.length,
    acknowledged: acknowledged.length,
    ok: acknowledged.filter((one) => there(one) !== one.deleted).length,
    lost: acknowledged.filter((one) => !one.deleted && !there(one)).map(nameOf),
    recovered: handed.filter((one) => !one.acknowledged && there(one)).length,
    unexpected: [
      ...[...found].filter((name) => !known.has(name)),
      ...acknowledged.filter((one) => one.deleted && there(one)).map(nameOf),
    ],
  };
}
