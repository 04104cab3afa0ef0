import { type Command, Option } from "@commander-js/extra-typings";
import type { RetryPolicy } from "@headway/engine";
import { type Duration, durationMs, showDuration } from "@headway/engine";
import {
  type PolicyHistoryRow,
  type PolicyInForce,
  type RetryChange,
  retryKinds,
} from "@headway/engine/operate";
import { withDesk } from "../desk.ts";
import { Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { parseCount, sharedFlags } from "../shared-options.ts";
import { showMoment, showRelative } from "../show-time.ts";
import { type Column, type Console, table } from "../terminal.ts";

export function addPolicies({ program, console }: Adding): void {
  const group = program
    .command("policies")
    .description("Show and change retry policies at run time")
    .addHelpText(
      "after",
      `
Examples:
  headway policies list
  headway policies set parsing transient --attempts 10 --max 5m --why "a slow file server"
  headway policies history parsing
  headway policies reset parsing transient

Running workers follow a change within seconds. Permanent faults are never retried.`,
    );
  addList(group, console);
  addSet(group, console);
  addHistory(group, console);
  addReset(group, console);
}

function addList(group: Command, console: Console): void {
  group
    .command("list")
    .description("What holds for every stage and kind of fault, and who says so")
    .argument("[stage]", "only of this stage")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway policies list\n  headway policies list parsing --json`)
    .action(async (stage, options) => {
      const { all, now } = await withDesk(options, async ({ operator }) => ({
        all: await operator.listPolicies(),
        now: operator.now(),
      }));
      const lines = all.filter((one) => stage === undefined || one.stage === stage);
      if (options.json) return lines.forEach(console.writeJson);
      if (lines.length === 0) throw new Refusal(noStage(stage, all));
      const retried = lines.filter(({ kind }) => kind !== "permanent");
      console.write(`${table(retried, columnsAt(now), console.columns)}\n`);
      console.warn(
        "Permanent faults are never retried. Change one with: headway policies set STAGE KIND --attempts …\n",
      );
    });
}

const noStage = (stage: string | undefined, all: readonly PolicyInForce[]): string =>
  stage === undefined
    ? 'No pipeline has run here yet: read an archive with "headway ingest PATH".'
    : `There is no stage "${stage}"; there are: ${[...new Set(all.map((one) => one.stage))].join(", ")}.`;

const columnsAt = (now: Date): Column<PolicyInForce>[] => [
  { title: "STAGE", of: ({ stage }) => stage },
  { title: "KIND", of: ({ kind }) => kind },
  { title: "ATTEMPTS", of: ({ policy }) => String(policy.attemptsMax), align: "right" },
  { title: "INITIAL", of: ({ policy }) => showDuration(policy.initialMs), align: "right" },
  { title: "MAX", of: ({ policy }) => showDuration(policy.maxMs), align: "right" },
  { title: "×", of: ({ policy }) => String(policy.multiplier), align: "right" },
  { title: "JITTER", of: ({ policy }) => policy.jitter },
  { title: "TTL", of: ({ policy }) => (policy.ttlMs === null ? "none" : showDuration(policy.ttlMs)) },
  {
    title: "FROM",
    of: ({ from, changedBy, changedAt }) =>
      from === "operator" && changedAt ? `${changedBy}, ${showRelative(changedAt, now)}` : from,
    flexible: true,
  },
];

const kindArgument = "transient, rate-limited, not-found-yet or unknown";

function addSet(group: Command, console: Console): void {
  group
    .command("set")
    .description("Change a policy; what is left out stays as it is")
    .argument("<stage>")
    .argument("<kind>", kindArgument)
    .option("--attempts <number>", "all tries, the first one included")
    .option("--initial <duration>", "before the first retry, such as 2s")
    .option("--max <duration>", "the longest wait, such as 10m")
    .option("--multiplier <number>", "each wait is so many times as long as the one before")
    .addOption(
      new Option("--jitter <jitter>", "full: anything up to the wait").choices(["full", "none"] as const),
    )
    .option("--ttl <duration>", 'give up after so long, counted from the first attempt; "none": never')
    .option("--why <text>", "the reason, for the history and the audit")
    .option("--dry-run", "say what would hold, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway policies set embedding rate-limited --ttl 2h --why "a new quota"`,
    )
    .action(async (stage, kindText, options) => {
      const kind = kindOf(kindText);
      const change = changeOf(options);
      if (Object.keys(change).length === 0)
        throw new Refusal(
          "Say what to change: --attempts, --initial, --max, --multiplier, --jitter or --ttl.",
          2,
        );
      const dryRun = options.dryRun === true;
      const { why } = options;
      const policy = await withDesk(options, ({ operator }) =>
        operator.setPolicy({ stage, kind, change, ...(why !== undefined && { why }) }, { dryRun }),
      );
      if (options.json) return console.writeJson({ stage, kind, policy, dryRun });
      console.write(`${stage}, ${kind}: ${dryRun ? "would be " : ""}${showPolicy(policy)}\n`);
    });
}

interface ChangeOptions {
  readonly attempts?: string | undefined;
  readonly initial?: string | undefined;
  readonly max?: string | undefined;
  readonly multiplier?: string | undefined;
  readonly jitter?: "full" | "none" | undefined;
  readonly ttl?: string | undefined;
}

function changeOf({ attempts, initial, max, multiplier, jitter, ttl }: ChangeOptions): RetryChange {
  const times = Number(multiplier);
  if (multiplier !== undefined && (multiplier.trim() === "" || Number.isNaN(times)))
    throw new Refusal(`--multiplier is "${multiplier}"; expected a number such as 2.`, 2);
  return {
    ...(attempts !== undefined && { attempts: parseCount(attempts, "--attempts", 1_000) }),
    ...(initial !== undefined && { initial: parseDuration(initial, "--initial") }),
    ...(max !== undefined && { max: parseDuration(max, "--max") }),
    ...(multiplier !== undefined && { multiplier: times }),
    ...(jitter !== undefined && { jitter }),
    ...(ttl !== undefined && { ttl: ttl === "none" ? null : parseDuration(ttl, "--ttl") }),
  };
}

function parseDuration(text: string, flag: string): Duration {
  try {
    durationMs(text as Duration);
    return text as Duration;
  } catch {
    throw new Refusal(`${flag} is "${text}"; expected a duration such as 30s or 10m.`, 2);
  }
}

function kindOf(text: string): PolicyInForce["kind"] {
  const kind = retryKinds.find((one) => one === text);
  if (kind) return kind;
  throw new Refusal(`There are no "${text}" faults; there are: ${kindArgument}.`, 2);
}

function addHistory(group: Command, console: Console): void {
  group
    .command("history")
    .description("What people have changed, newest first")
    .argument("[stage]", "only of this stage")
    .option("--limit <number>", "how many", "30")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway policies history parsing --limit 5`)
    .action(async (stage, options) => {
      const limit = parseCount(options.limit, "--limit", 10_000);
      const rows = await withDesk(options, ({ operator }) =>
        operator.policyHistory({ limit, ...(stage !== undefined && { stage }) }),
      );
      if (options.json) return rows.forEach(console.writeJson);
      if (rows.length === 0) return console.warn("Nobody has changed a policy.\n");
      console.write(`${table(rows, historyColumns, console.columns)}\n`);
    });
}

const historyColumns: readonly Column<PolicyHistoryRow>[] = [
  { title: "WHEN", of: ({ changed_at: at }) => showMoment(at) },
  { title: "WHO", of: ({ changed_by: by }) => by },
  { title: "STAGE", of: ({ stage }) => stage },
  { title: "KIND", of: ({ kind }) => kind },
  { title: "NOW", of: ({ after }) => (after ? showPolicy(after) : "as the code says") },
  { title: "WHY", of: ({ why }) => why ?? "", flexible: true },
];

function addReset(group: Command, console: Console): void {
  group
    .command("reset")
    .description("Take a change back: what the code says holds again")
    .argument("<stage>")
    .argument("<kind>", kindArgument)
    .option("--why <text>", "the reason, for the history and the audit")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway policies reset embedding rate-limited --why "the old quota again"`,
    )
    .action(async (stage, kindText, options) => {
      const kind = kindOf(kindText);
      const { why, dryRun = false } = options;
      const { changed } = await withDesk(options, ({ operator }) =>
        operator.resetPolicy({ stage, kind, ...(why !== undefined && { why }) }, { dryRun }),
      );
      if (options.json) return console.writeJson({ stage, kind, changed, dryRun });
      if (!changed) return console.warn(`Nobody has changed it: ${stage}, ${kind} is as the code says.\n`);
      console.write(`${stage}, ${kind}: ${dryRun ? "would be" : "is"} as the code says again.\n`);
    });
}

function showPolicy({ attemptsMax, initialMs, maxMs, multiplier, jitter, ttlMs }: RetryPolicy): string {
  const parts = [
    `${attemptsMax} attempts`,
    `${showDuration(initialMs)} to ${showDuration(maxMs)} ×${multiplier}`,
    ...(jitter === "full" ? ["full jitter"] : []),
    ...(ttlMs === null ? [] : [`within ${showDuration(ttlMs)}`]),
  ];
  return parts.join(", ");
}
