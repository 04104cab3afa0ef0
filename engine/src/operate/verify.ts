import { canonicalJson, contentHash, marker } from "../decide/hash.ts";
import { findUngrouped, findUnowed } from "../store/documents.ts";
import { countByStage } from "../store/ledger.ts";
import { findSubject } from "../store/subjects.ts";
import {
  brokenClaims,
  type CheckName,
  type Cursor,
  checks,
  readBodies,
  readMarkers,
  walkPage,
} from "../store/verify.ts";
import { listLivingWorkers } from "../store/workers.ts";
import { type Directory, type Operating, readDirectory } from "./context.ts";
import { isBalanced } from "./counts.ts";
import { type Finding, type Invariant, invariants } from "./invariants.ts";
import { repairPage } from "./repair.ts";
import { nameOf } from "./targets.ts";

/** A row that breaks an invariant. */
export interface Violation {
  readonly invariant: Invariant;
  readonly promise: string;
  /** The problem, with the numbers of the first few subjects. */
  readonly sentence: string;
  readonly subjects: readonly number[];
  /** The same by name: `messages/quic/4f…`. */
  readonly names: readonly string[];
}

/** Outcome of a check of all invariants. */
export interface Verified {
  readonly ok: boolean;
  /** The first broken promise. */
  readonly first: Violation | null;
  /** Broken rows per promise; 0 where it holds. */
  readonly broken: Readonly<Record<Invariant, number>>;
  /** Repaired rows; the rest needs a person, or the sweep of an engine with the code. */
  readonly repaired: Readonly<Record<Invariant, number>>;
  readonly rows: number;
}

/** Options of a check. */
export interface VerifyOptions {
  /** Repairs violations that have a safe repair. */
  readonly repair?: boolean;
  /** Reason in the audit of each repair. */
  readonly why?: string | undefined;
  /** Called after each page, with the current check and the number of rows so far. */
  readonly onRows?: (progress: { readonly invariant: Invariant; readonly rows: number }) => void;
}

const pageSize = 1_000;
const bodiesPage = 200;
const namedMax = 10;
const start: Cursor = { subject: 0, stage: 0 };

/**
 * Walks the whole ledger in pages and checks every promise. Each page is one statement, so the check can run beside a
 * busy engine. With `repair` missing tasks are owed, dangling rows are dropped, wrong counts are counted anew.
 */
export async function verify(
  context: Operating,
  { repair = false, why, onRows }: VerifyOptions = {},
): Promise<Verified> {
  const none = () => Object.fromEntries(Object.keys(invariants).map((name) => [name, 0]));
  const broken = none() as Record<Invariant, number>;
  const repaired = none() as Record<Invariant, number>;
  const firsts = new Map<Invariant, Violation>();
  let rows = 0;
  for await (const finding of walkAll(context)) {
    rows += finding.rows;
    onRows?.({ invariant: finding.invariant, rows });
    if (finding.broken.length === 0) continue;
    broken[finding.invariant] += finding.broken.length;
    if (!firsts.has(finding.invariant)) firsts.set(finding.invariant, toViolation(finding));
    if (repair) repaired[finding.invariant] += await repairPage(context, finding, why);
  }
  const order = Object.keys(invariants) as Invariant[];
  const name = order.find((one) => firsts.has(one));
  const violation = (name && firsts.get(name)) ?? null;
  const first = violation && { ...violation, names: await namesOf(context, violation.subjects) };
  return { ok: first === null, first, broken, repaired, rows };
}

async function namesOf(context: Operating, subjects: readonly number[]): Promise<string[]> {
  const directory = await readDirectory(context);
  const rows = await Promise.all(
    subjects.filter((one) => one > 0).map((subject) => findSubject(context.database, subject)),
  );
  return rows.flatMap((row) => (row ? [nameOf({ row, directory })] : []));
}

function toViolation({ invariant, broken, sentence }: Finding): Violation {
  const subjects = broken.slice(0, namedMax).map((one) => one.subject);
  const promise = invariants[invariant];
  const more = broken.length > namedMax ? ", …" : "";
  const said = sentence ?? `Not so for number ${subjects.join(", ")}${more}.`;
  return { invariant, promise, subjects, names: [], sentence: `${promise} ${said}` };
}

async function* walkAll(context: Operating): AsyncGenerator<Finding> {
  const directory = await readDirectory(context);
  for (const check of Object.keys(checks) as CheckName[]) {
    for (let from: Cursor | null = start; from; ) {
      const { rows, broken, next } = await walkPage(context.database, check, { from, limit: pageSize });
      yield { invariant: check, broken, rows };
      from = next;
    }
  }
  yield* walkOwed(context, directory);
  yield* walkClaims(context);
  yield* walkMarkers(context);
  yield* walkBodies(context);
  yield* walkLedger(context, directory);
}

/** Stages with code somewhere: of the given pipelines, else of living workers, else all. */
export async function currentStages(context: Operating, { stages }: Directory) {
  const names = new Set(context.pipelines.flatMap((one) => one.stages.map((stage) => stage.name)));
  const known = stages.filter((stage) => names.has(stage.name));
  if (known.length > 0) return known;
  const worked = new Set((await listLivingWorkers(context.database)).flatMap((one) => one.stages));
  return worked.size > 0 ? stages.filter((stage) => worked.has(stage.id)) : stages;
}

async function* walkOwed(context: Operating, directory: Directory): AsyncGenerator<Finding> {
  for (const { id: stage, reads: collection, shape, owing_after: owing } of await currentStages(
    context,
    directory,
  )) {
    for (let after: number | null = 0; after !== null; ) {
      const page: { collection: number; stage: number; after: number; limit: number } = {
        collection,
        stage,
        after,
        limit: pageSize,
      };
      const grouped = shape === "fan-in";
      const {
        last,
        missing,
      }: { last: number | null; missing: readonly { subject: number; rank: number }[] } = grouped
        ? await findUngrouped(context.database, page)
        : await findUnowed(context.database, page);
      const broken = missing
        .filter(({ subject }) => owing === null || subject <= owing)
        .map(({ subject, rank }) => ({ subject, stage, other: rank }));
      yield { invariant: grouped ? "member-missing" : "stage-not-owed", broken, rows: 0 };
      after = last;
    }
  }
}

async function* walkClaims({ database }: Operating): AsyncGenerator<Finding> {
  const rows = await brokenClaims(database);
  const [first] = rows;
  if (!first) return;
  const { claim, worker, problem } = first;
  yield {
    invariant: "claim-broken",
    broken: rows.map(({ subject, stage, claim: other }) => ({ subject: subject ?? 0, stage, other })),
    rows: 0,
    sentence: `Claim ${claim} of worker ${worker} is not right: ${problem}.`,
  };
}

async function* walkMarkers({ database }: Operating): AsyncGenerator<Finding> {
  for (let from = start; ; ) {
    const page = await readMarkers(database, { from, limit: pageSize });
    const broken = page.filter((row) => {
      // Reprocessing was requested: the result is going to be made anew.
      if (row.marker.length === 0) return false;
      const { name: stage, input_hash: inputHash, version, config_hash: configHash, model, looked } = row;
      if (version === null || configHash === null || model === null) return true;
      return !row.marker.equals(marker({ stage, inputHash, version, configHash, model, looked }));
    });
    yield {
      invariant: "marker-wrong",
      rows: 0,
      broken: broken.map(({ subject, stage }) => ({ subject, stage, other: null })),
    };
    const last = page.at(-1);
    if (!last) return;
    from = { subject: last.subject, stage: last.stage };
  }
}

async function* walkBodies({ database }: Operating): AsyncGenerator<Finding> {
  for (let after = 0; ; ) {
    const page = await readBodies(database, { after, limit: bodiesPage });
    const broken = page.filter((row) => !contentHash(canonicalJson(row.body)).equals(row.hash));
    yield {
      invariant: "content-changed",
      rows: page.length,
      broken: broken.map(({ subject }) => ({ subject, stage: 0, other: null })),
    };
    const last = page.at(-1);
    if (!last) return;
    after = last.subject;
  }
}

async function* walkLedger(context: Operating, directory: Directory): AsyncGenerator<Finding> {
  const current = new Set((await currentStages(context, directory)).map((one) => one.id));
  const counts = await countByStage(context.database, context.clock.now());
  for (const count of counts.filter((one) => current.has(one.stage) && !isBalanced(one))) {
    const { accepted, done, waiting, later, claimed, dead, deleted } = count;
    yield {
      invariant: "ledger-unbalanced",
      broken: [{ subject: 0, stage: count.stage, other: null }],
      rows: 0,
      sentence: `Stage "${directory.stageName(count.stage)}" accepted ${accepted}, but has ${done} done, ${waiting + later} waiting, ${claimed} claimed, ${dead} dead and ${deleted} deleted.`,
    };
  }
}
