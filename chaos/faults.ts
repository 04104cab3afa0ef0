import type { Database } from "../engine/src/store/database.ts";
import { sql } from "../engine/src/store/sql.ts";
import type { Violation } from "./evidence.ts";
import { ownFaults } from "./pipeline.ts";

export interface FaultCount {
  readonly stage: string;
  readonly kind: string;
  readonly code: string;
  readonly count: number;
  /** Message of the last fault. */
  readonly message: string;
}

export const countFaults = (db: Database) =>
  db.query<FaultCount & object>(sql`
    select s.name as stage, f.kind, f.code, count(*) as count,
      (array_agg(f.fault ->> 'message' order by f.at desc))[1] as message
    from headway.fault f join headway.stage s on s.id = f.stage group by 1, 2, 3 order by 4 desc`);

/** Faults of the real pipeline that belong to documents. */
const ownMailFaults = [/^mail\./, /^thread\.changed$/];

/** An outage of the engine's own database costs no attempt: every recorded fault belongs to its document. */
export function checkFaults(counts: readonly FaultCount[]): Violation[] {
  return counts
    .filter(({ stage, code }) => {
      const own = ownFaults[stage];
      return own
        ? !own.some((start) => code.startsWith(start))
        : !ownMailFaults.some((one) => one.test(code));
    })
    .map(({ stage, kind, code, count, message }) => ({
      promise: "No attempt is burnt in outages",
      harm: "other",
      story: `${count} attempts of ${stage} ended with ${code} (${kind}), which no document has of its own: ${message}`,
    }));
}
