import type { Operator } from "../engine/src/operate.ts";
import type { Database } from "../engine/src/store/database.ts";
import { sql } from "../engine/src/store/sql.ts";
import { compareContent, contentOf, handedIn } from "./content.ts";
import type { Ears } from "./ears.ts";
import { checkEvents, checkHeard } from "./events.ts";
import { checkEvidence, sortEvidence, type Violation } from "./evidence.ts";
import { checkFaults, countFaults, type FaultCount } from "./faults.ts";
import type { Handed } from "./feeder.ts";
import type { Death, ToldEvent } from "./fleet.ts";
import { keepLedger, type Ledger } from "./ledger.ts";
import { measureRecovery, type Recovery, readOrphaned } from "./recovery.ts";
import type { Excuse } from "./world.ts";

/** Everything known at the end of the storm. */
export interface History {
  readonly db: Database;
  readonly operator: Operator;
  readonly handed: readonly Handed[];
  readonly deaths: readonly Death[];
  readonly excuses: readonly Excuse[];
  readonly told: ReadonlyMap<string, ToldEvent>;
  /** Events received by the outside consumer; null: no broker. */
  readonly ears: Pick<Ears, "heard" | "since"> | null;
  /** Result of a fault-free run on the given documents. */
  readonly quiet: (handed: readonly Handed[]) => Promise<ReadonlyMap<string, string>>;
}

export interface Judgement {
  readonly ledger: Ledger;
  readonly violations: readonly Violation[];
  readonly recovery: Recovery;
  readonly faults: readonly FaultCount[];
  readonly lost: number;
  readonly doubled: number;
  readonly orphans: number;
  readonly dead: number;
}

export async function judge(history: History): Promise<Judgement> {
  const { db, operator, handed, deaths, excuses, told } = history;
  await sortEvidence(db);
  const found = await handedIn(db);
  const ledger = keepLedger(handed, found);
  const evidence = await checkEvidence(db);
  const there = handed.filter((one) => found.has(`${one.collection}/${one.id}`));
  const faults = await countFaults(db);
  const violations = [
    ...ofLedger(ledger),
    ...evidence.violations,
    ...(await verifyAll(operator)),
    ...compareContent(await contentOf(db), await history.quiet(there)),
    ...(await checkBombs(db, there)),
    ...(await checkEvents(db, told)),
    ...(history.ears ? checkHeard(told, history.ears) : []),
    ...checkFaults(faults),
  ];
  const recovery = measureRecovery(await readOrphaned(db, deaths), excuses);
  const harmed = (harm: Violation["harm"]) => violations.filter((one) => one.harm === harm).length;
  return {
    ledger,
    violations,
    recovery,
    faults,
    lost: harmed("lost"),
    doubled: harmed("doubled"),
    orphans: harmed("orphan"),
    dead: (await db.query(sql`select 1 from headway.dead_letter`)).length,
  };
}

const ofLedger = ({ lost, unexpected }: Ledger): Violation[] => [
  ...lost.map((name) => ({
    promise: "What was acknowledged is there",
    harm: "lost" as const,
    story: `${name} was acknowledged and is not there`,
  })),
  ...unexpected.map((name) => ({
    promise: "What nobody handed in, or somebody deleted, is not there",
    harm: "doubled" as const,
    story: `${name} should not be there`,
  })),
];

const orphaning = /-of-nothing$|^document-without-producer$/;

/** The promises checked by operators at any time. */
async function verifyAll(operator: Operator): Promise<Violation[]> {
  const { first, broken } = await operator.verify();
  return Object.entries(broken)
    .filter(([, count]) => count > 0)
    .map(([invariant, count]) => ({
      promise: `headway verify: ${invariant}`,
      harm: orphaning.test(invariant) ? "orphan" : invariant === "stage-not-owed" ? "lost" : "other",
      story: `${count} rows${first?.invariant === invariant ? `, such as ${first.names[0]}: ${first.sentence}` : ""}`,
      ...(first?.invariant === invariant &&
        first.subjects[0] !== undefined && { subject: first.subjects[0] }),
    }));
}

/** A document that kills workers is detected and dies, and no innocent document dies instead. */
async function checkBombs(db: Database, there: readonly Handed[]): Promise<Violation[]> {
  const rows = await db.query<{ id: string; crashes: number; code: string }>(sql`
    select d.id, x.crashes, x.code from headway.dead_letter x
    join headway.stage s on s.id = x.stage and s.name = 'defusing'
    join headway.document d on d.subject = x.subject`);
  const buried = new Map(rows.map((row) => [row.id, row]));
  const promise = "A document that kills its worker is dead after as many crashes as it may have";
  return there
    .filter((one) => one.collection === "bombs")
    .flatMap(({ id }) => {
      const grave = buried.get(id);
      if (!grave) return [{ promise, harm: "other" as const, story: `${id} is not dead` }];
      if (grave.crashes >= 3 && grave.code === "worker.lost") return [];
      const story = `${id} died of ${grave.code} after ${grave.crashes} crashes`;
      return [{ promise, harm: "other" as const, story }];
    });
}
