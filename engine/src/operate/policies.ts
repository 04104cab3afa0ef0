import { DefinitionError } from "../define/definition-error.ts";
import {
  applyChange,
  policyProblem,
  type RetryChange,
  type RetryKind,
  type RetryPolicies,
  type RetryPolicy,
  retryDefaults,
  retryKinds,
} from "../define/retry.ts";
import { withRetryVariables } from "../define/retry-variables.ts";
import {
  changePolicy,
  type PolicyHistoryRow,
  policyHistory as readHistory,
  readPolicies,
} from "../store/policies.ts";
import {
  type DryRun,
  type Operating,
  perform,
  readCode,
  readDirectory,
  record,
  tellControls,
} from "./context.ts";

/** A policy in force for a stage and a kind of fault, with its origin. */
export interface PolicyInForce {
  readonly stage: string;
  readonly kind: RetryKind;
  readonly policy: RetryPolicy;
  /** `default`: set neither by an operator nor by the available code. */
  readonly from: "operator" | "code" | "default";
  readonly changedAt: Date | null;
  readonly changedBy: string | null;
}

/** Policies in force for every stage and kind of fault. */
export async function listPolicies(context: Operating): Promise<PolicyInForce[]> {
  const { stages, collectionName } = await readDirectory(context);
  const { policies } = await readPolicies(context.database);
  const codeOf = await readCode(context);
  return stages.flatMap(({ name, reads }) => {
    const code = codeOf(name);
    const seeded = withRetryVariables(
      code?.retry ?? retryDefaults,
      collectionName(reads),
      context.environment,
    );
    return retryKinds.map((kind): PolicyInForce => {
      const set = policies.find((one) => one.stage === name && one.kind === kind);
      const stage = { stage: name, kind };
      if (set)
        return {
          ...stage,
          policy: set.policy,
          from: "operator",
          changedAt: set.changedAt,
          changedBy: set.changedBy,
        };
      const from = code ? "code" : "default";
      return { ...stage, policy: seeded[kind], from, changedAt: null, changedBy: null };
    });
  });
}

/** Policies by stage name, as seen by workers. */
export async function policiesInForce(context: Operating): Promise<(stage: string) => RetryPolicies> {
  const all = await listPolicies(context);
  return (stage) => {
    const of = (kind: RetryKind) =>
      all.find((one) => one.stage === stage && one.kind === kind)?.policy ?? retryDefaults[kind];
    return Object.fromEntries(retryKinds.map((kind) => [kind, of(kind)])) as RetryPolicies;
  };
}

/** Changes a policy at runtime; omitted fields stay. Invalid values are refused. */
export async function setPolicy(
  context: Operating,
  { stage, kind, change, why }: { stage: string; kind: RetryKind; change: RetryChange; why?: string },
  { dryRun = false }: DryRun = {},
): Promise<RetryPolicy> {
  await checkNames(context, stage, kind);
  const current = (await policiesInForce(context))(stage)[kind];
  const policy = applyChange(current, change);
  const problem = policyProblem(policy);
  if (problem)
    throw new DefinitionError(`The retry policy of "${stage}" for ${kind} faults is refused: ${problem}.`);
  if (!dryRun) await writePolicy(context, { stage, kind, policy, why });
  return policy;
}

/** Removes an operator's policy: the code's policy applies again. Without an operator's policy nothing happens. */
export async function resetPolicy(
  context: Operating,
  { stage, kind, why }: { stage: string; kind: RetryKind; why?: string },
  { dryRun = false }: DryRun = {},
): Promise<{ changed: boolean }> {
  await checkNames(context, stage, kind);
  const { policies, refused } = await readPolicies(context.database);
  const changed = [...policies, ...refused].some((one) => one.stage === stage && one.kind === kind);
  if (changed && !dryRun) await writePolicy(context, { stage, kind, policy: null, why });
  return { changed };
}

export const policyHistory = (
  { database }: Operating,
  { stage, limit = 100 }: { stage?: string; limit?: number } = {},
): Promise<PolicyHistoryRow[]> => readHistory(database, stage ?? null, limit);

async function checkNames(context: Operating, stage: string, kind: string): Promise<void> {
  (await readDirectory(context)).stage(stage);
  if (kind === "permanent")
    throw new DefinitionError("Permanent faults are never retried: they have no policy to change.");
  if (!retryKinds.some((one) => one === kind))
    throw new DefinitionError(`There are no "${kind}" faults; there are: ${retryKinds.join(", ")}.`);
}

async function writePolicy(
  context: Operating,
  given: { stage: string; kind: RetryKind; policy: RetryPolicy | null; why: string | undefined },
): Promise<void> {
  const { stage, kind, policy, why } = given;
  const { actor, clock } = context;
  await perform(context, async (tx) => {
    await changePolicy(tx, { stage, kind, policy, by: actor, why: why ?? null, now: clock.now() });
    const act = policy ? "policy.set" : "policy.reset";
    await record(tx, context, { act, target: `${stage}/${kind}`, why, detail: { policy } });
  });
  await tellControls(context);
}
