import { type Opening, opening, type StageFacts } from "../decide/eligible.ts";
import type { Emit } from "../decide/signal.ts";
import { type RetryKind, type RetryPolicies, retryKinds } from "../define/retry.ts";
import type { Stage } from "../define/stage.ts";
import type { StageSettings } from "../define/stage-settings.ts";
import type { Database } from "../store/database.ts";
import { type DependencyRow, listFailing, readDependencies } from "../store/dependencies.ts";
import { type PolicyRow, readPolicies } from "../store/policies.ts";
import { listStages } from "../store/registry.ts";
import type { PlannedStage } from "./graph.ts";
import { makeSettingsInForce } from "./settings-in-force.ts";

/** This process's view of policies, pauses and breakers: reread every few seconds and on notifications. */
export interface Controls {
  refresh(): Promise<void>;
  policies(stage: PlannedStage): RetryPolicies;
  /** Settings in force: the code's, with the operators' changes. */
  settings(stage: PlannedStage): StageSettings;
  facts(stage: PlannedStage): StageFacts;
  opening(stage: PlannedStage, now: Date): Opening;
  dependency(name: string): DependencyRow | undefined;
  /** Failed lately, without a success since. */
  isFailing(name: string): boolean;
}

export function makeControls(
  db: Database,
  emit: Emit,
  /** A stage's policies without the operators' changes: from code and environment. */
  seeded: (stage: Stage) => RetryPolicies = (stage) => stage.retry,
): Controls {
  let policies = new Map<string, PolicyRow>();
  let paused = new Map<number, StageFacts["paused"]>();
  let dependencies = new Map<string, DependencyRow>();
  let failing = new Set<string>();
  const settings = makeSettingsInForce();
  const merged = new Map<string, RetryPolicies>();
  const complain = makeComplaints(emit);
  const facts = ({ number, stage }: PlannedStage): StageFacts => ({
    paused: paused.get(number) ?? null,
    limits: settings.of({ number, stage }),
    dependencies: stage.needs.flatMap(({ name }) => dependencies.get(name) ?? []),
  });
  return {
    async refresh() {
      // One transaction: an idle worker reads them again and again.
      const [read, stages, rows, failed] = await db.transaction(async (tx) => [
        await readPolicies(tx),
        await listStages(tx),
        await readDependencies(tx),
        await listFailing(tx),
      ]);
      complain(read.refused);
      policies = new Map(read.policies.map((row) => [`${row.stage}/${row.kind}`, row]));
      merged.clear();
      paused = new Map(
        stages.flatMap(({ id, paused_at: at, paused_by: by, paused_reason: reason }) =>
          at ? [[id, { at, by: by ?? "somebody", reason }] as const] : [],
        ),
      );
      settings.read(stages);
      dependencies = new Map(rows.map((row) => [row.name, row]));
      failing = new Set(failed);
    },
    policies({ stage }) {
      const known = merged.get(stage.name);
      if (known) return known;
      const base = seeded(stage);
      const policyOf = (kind: RetryKind) => policies.get(`${stage.name}/${kind}`)?.policy ?? base[kind];
      const made = Object.fromEntries(retryKinds.map((kind) => [kind, policyOf(kind)])) as RetryPolicies;
      merged.set(stage.name, made);
      return made;
    },
    settings: settings.of,
    facts,
    opening: (stage, now) => opening(facts(stage), now),
    dependency: (name) => dependencies.get(name),
    isFailing: (name) => failing.has(name),
  };
}

/** Emits each problem of a policy once. */
function makeComplaints(emit: Emit): (refused: Awaited<ReturnType<typeof readPolicies>>["refused"]) => void {
  const complained = new Set<string>();
  return (refused) => {
    for (const { stage, kind, problem } of refused) {
      const words = `${stage}/${kind}/${problem}`;
      if (!complained.has(words)) emit({ kind: "policy.refused", stage, faultKind: kind, problem });
      complained.add(words);
    }
  };
}
