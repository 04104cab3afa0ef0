import { type Explanation, explain as explainFacts } from "../decide/explain.ts";
import { groupHash } from "../decide/hash.ts";
import { storedFacts } from "../decide/result-facts.ts";
import { runsAhead } from "../decide/run-ahead.ts";
import type { MemberFacts, StageState, VariantFacts } from "../decide/stage-state.ts";
import { type DependencyRow, readDependencies } from "../store/dependencies.ts";
import type { StageRow } from "../store/registry.ts";
import {
  groupsOf,
  heldStages,
  type MemberStateRow,
  memberStates,
  readVariants,
  type StandingRow,
  type SubjectRow,
  standings,
} from "../store/subjects.ts";
import { listLivingWorkers } from "../store/workers.ts";
import { isAlive } from "./alive.ts";
import { fixesOf, type Operating, readCode } from "./context.ts";
import { policiesInForce } from "./policies.ts";
import { findTarget, type Target } from "./targets.ts";

const namedMembersMax = 5;

/** Explains the state of a document or group at every stage: where, why, and what happens next and when. */
export async function explain(context: Operating, target: Target): Promise<Explanation> {
  const { database: db, clock } = context;
  const { row, directory } = await findTarget(context, target);
  const owners = row.collection === null ? [row] : [row, ...(await groupsOf(db, row.subject))];
  const pairs = owners.flatMap((owner) =>
    stagesOf(owner, directory.stages).map((stage) => ({ owner, stage })),
  );
  const rows = await standings(
    db,
    pairs.map(({ owner, stage }) => ({ subject: owner.subject, stage: stage.id })),
  );
  const surroundings = await readSurroundings(context, directory.stages, rows);
  const members = await readMembers(context, owners);
  const now = clock.now();
  const stages = pairs.map(({ owner, stage }, index) =>
    toStanding(stage, owner, rows[index] as StandingRow, surroundings, members.get(owner.subject) ?? []),
  );
  const { subject, id, gone_at: goneAt } = row;
  const collection = row.collection === null ? null : directory.collectionName(row.collection);
  return explainFacts({ subject, collection, id, goneAt, stages, fixes: fixesOf(context) }, now);
}

/** The stages of a document; for a group, its own stage. */
const stagesOf = (owner: SubjectRow, stages: readonly StageRow[]): StageRow[] =>
  owner.collection === null
    ? stages.filter((stage) => stage.id === owner.stage)
    : stages.filter((stage) => stage.reads === owner.collection && stage.shape !== "fan-in");

interface Surroundings {
  readonly policies: Awaited<ReturnType<typeof policiesInForce>>;
  readonly needs: ReadonlyMap<number, readonly DependencyRow[]>;
  /** Number of living workers per stage. */
  readonly workers: ReadonlyMap<number, number>;
  readonly alive: ReadonlySet<number>;
  readonly variants: Awaited<ReturnType<typeof readVariants>>;
  readonly ahead: ReadonlyMap<number, boolean>;
}

async function readSurroundings(
  context: Operating,
  stages: readonly StageRow[],
  rows: readonly StandingRow[],
): Promise<Surroundings> {
  const { database: db } = context;
  const numbers = rows.flatMap((one) => [one.done_variant ?? [], one.dead_variant ?? []].flat());
  const workers = new Map<number, number>();
  const living = (await listLivingWorkers(db)).filter((one) => isAlive(context, one));
  for (const worker of living) {
    for (const stage of worker.stages) workers.set(stage, (workers.get(stage) ?? 0) + 1);
  }
  return {
    policies: await policiesInForce(context),
    needs: await readNeeds(context, stages),
    workers,
    alive: new Set(living.map(({ id }) => id)),
    variants: await readVariants(db, numbers),
    ahead: await readAhead(context, stages),
  };
}

async function readAhead(context: Operating, stages: readonly StageRow[]): Promise<Map<number, boolean>> {
  const codeOf = await readCode(context);
  return new Map(
    stages.flatMap(({ id, name }) => {
      const code = codeOf(name);
      return code ? [[id, runsAhead(code)] as const] : [];
    }),
  );
}

/** Failing dependencies of each stage: from the code, or inferred from held tasks. */
export async function readNeeds(
  context: Operating,
  stages: readonly StageRow[],
): Promise<ReadonlyMap<number, readonly DependencyRow[]>> {
  const needs = new Map<number, DependencyRow[]>();
  const codeOf = await readCode(context);
  for (const dependency of await readDependencies(context.database)) {
    const held = dependency.open ? await heldStages(context.database, dependency.name) : [];
    for (const { id, name } of stages) {
      const declared = codeOf(name)?.needs.some((one) => one.name === dependency.name);
      if (declared || held.some((one) => one.stage === id))
        needs.set(id, [...(needs.get(id) ?? []), dependency]);
    }
  }
  return needs;
}

async function readMembers(
  { database }: Operating,
  owners: readonly SubjectRow[],
): Promise<Map<number, MemberStateRow[]>> {
  const groups = owners.filter((owner) => owner.collection === null).map((owner) => owner.subject);
  const members = new Map<number, MemberStateRow[]>(groups.map((group) => [group, []]));
  if (groups.length === 0) return members;
  for (const row of await memberStates(database, groups)) members.get(row.grouping)?.push(row);
  return members;
}

function toStanding(
  stage: StageRow,
  owner: SubjectRow,
  row: StandingRow,
  { policies, needs, workers, alive, variants, ahead }: Surroundings,
  members: readonly MemberStateRow[],
): StageState {
  const variantOf = (number: number | null): VariantFacts | null =>
    toVariant(variants.find((one) => one.id === number));
  const grouped = owner.collection === null;
  const inputHash = grouped ? groupHash(members) : owner.hash;
  const { paused_at: at, paused_by: by, paused_reason: reason } = stage;
  return {
    stage: stage.name,
    group: grouped ? owner.id : null,
    ...toTaskFacts(row, alive),
    done:
      row.done_at === null
        ? null
        : {
            ...storedFacts(row),
            finishedAt: row.done_at,
            attempts: row.done_attempts ?? 0,
            outputs: row.done_outputs ?? 0,
            inputHash: row.done_input?.toString("hex") ?? "",
            variant: variantOf(row.done_variant),
            forgotten: row.done_forgotten ?? false,
          },
    dead: toDeadFacts(row, variantOf(row.dead_variant)),
    opening: {
      paused: at ? { at, by: by ?? "somebody", reason } : null,
      dependencies: needs.get(stage.id) ?? [],
    },
    runsAhead: ahead.get(stage.id) ?? null,
    policies: policies(stage.name),
    newest: toVariant(variants.find((one) => one.stage === stage.id && one.newest)),
    inputHash: inputHash?.toString("hex") ?? null,
    workers: workers.get(stage.id) ?? 0,
    members: grouped && stage.after_stages.length > 0 ? toMemberFacts(members) : null,
  };
}

const toVariant = (
  row: { version: string; config_hash: Buffer; model: string } | undefined,
): VariantFacts | null =>
  row ? { version: row.version, configHash: row.config_hash.toString("hex"), model: row.model } : null;

function toTaskFacts(row: StandingRow, alive: ReadonlySet<number>): Pick<StageState, "task" | "claim"> {
  return {
    task:
      row.ready_at === null
        ? null
        : {
            readyAt: row.ready_at,
            reason: row.reason,
            owedAt: row.owed_at ?? row.ready_at,
            attempts: row.attempts ?? 0,
            waits: row.waits ?? 0,
            crashes: row.crashes ?? 0,
            lastAttemptAt: row.last_attempt_at,
            fault: row.fault,
          },
    claim:
      row.claim_worker === null || row.claim_at === null
        ? null
        : {
            worker: row.claim_worker,
            name: alive.has(row.claim_worker) ? row.worker_name : null,
            since: row.claim_at,
          },
  };
}

function toDeadFacts(row: StandingRow, variant: VariantFacts | null): StageState["dead"] {
  if (row.dead_id === null || row.dead_fault === null || row.died_at === null) return null;
  const { closed_at: at, closed_as: as, closed_by: by } = row;
  return {
    id: row.dead_id,
    reason: row.dead_reason ?? "",
    fault: row.dead_fault,
    diedAt: row.died_at,
    attempts: row.dead_attempts ?? 0,
    waits: row.dead_waits ?? 0,
    crashes: row.dead_crashes ?? 0,
    variant,
    closed: at ? { at, as: as ?? "closed", by: by ?? "somebody" } : null,
  };
}

function toMemberFacts(members: readonly MemberStateRow[]): MemberFacts {
  const pending = members.filter((one) => one.pending);
  const dead = members.filter((one) => one.dead && !one.pending);
  const first = [...pending, ...dead].slice(0, namedMembersMax).map((one) => one.id);
  return { total: members.length, pending: pending.length, dead: dead.length, first };
}
