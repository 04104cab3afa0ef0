import type { Handed } from "./feeder.ts";

/** What was handed in against what is there, in Jepsen's words. */
export interface Ledger {
  /** Documents that somebody tried to hand in. */
  readonly attempted: number;
  /** Of these, those that the engine said it has. */
  readonly acknowledged: number;
  /** Acknowledged, and there; or deleted by an operator, and gone. */
  readonly ok: number;
  /** Acknowledged, and not there. */
  readonly lost: readonly string[];
  /** Never acknowledged, and there all the same: the answer was lost, the document was not. */
  readonly recovered: number;
  /** There, though nobody handed them in; or deleted, and there again. */
  readonly unexpected: readonly string[];
}

/** `found`: names of documents that came from outside and are there, as `collection/id`. */
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
