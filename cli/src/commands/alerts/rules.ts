import { type Command, Option } from "@commander-js/extra-typings";
import { type Duration, showDuration } from "@headway/engine";
import {
  type AlertRuleChange,
  alertTypes,
  channelNames,
  type RuleInForce,
  severities,
} from "@headway/engine/operate";
import { withDesk } from "../../desk.ts";
import { exitCodes, Refusal } from "../../exit-codes.ts";
import { parseSpan, sharedFlags } from "../../shared-options.ts";
import { showMoment, showRelative } from "../../show-time.ts";
import { type Column, type Console, showNumber, table } from "../../terminal.ts";

export function addRules(group: Command, console: Console): void {
  const rules = group
    .command("rules")
    .description("What is worth an alert: see it, change it while everything runs")
    .addHelpText(
      "after",
      `
Examples:
  headway alerts rules list
  headway alerts rules set deaths --threshold 20 --why "a noisy source"
  headway alerts rules set parsing-deaths --type deaths --stage parsing --threshold 1 --severity critical
  headway alerts rules set outbox-old --off
  headway alerts rules history
  headway alerts rules reset deaths`,
    );
  addList(rules, console);
  addSet(rules, console);
  addHistory(rules, console);
  addReset(rules, console);
}

function addList(group: Command, console: Console): void {
  group
    .command("list")
    .description("The rules in force, and who says so")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway alerts rules list\n  headway alerts rules list --json`)
    .action(async (options) => {
      const { rules, now } = await withDesk(options, async ({ operator }) => ({
        rules: await operator.listAlertRules(),
        now: operator.now(),
      }));
      if (options.json) return rules.forEach(console.writeJson);
      console.write(`${table(rules, columnsAt(now), console.columns)}\n`);
    });
}

const columnsAt = (now: Date): Column<RuleInForce>[] => [
  { title: "RULE", of: ({ name }) => name },
  { title: "TYPE", of: ({ type }) => type },
  { title: "FROM", of: ({ threshold }) => showNumber(threshold), align: "right" },
  { title: "WINDOW", of: ({ windowMs }) => showDuration(windowMs), align: "right" },
  { title: "SEVERITY", of: ({ severity }) => severity },
  { title: "ONLY", of: ({ match }) => Object.values(match).join(", ") },
  { title: "TO", of: ({ channels }) => channels?.join(", ") ?? "all" },
  { title: "STATE", of: ({ enabled }) => (enabled ? "on" : "off") },
  {
    title: "SET BY",
    of: ({ from, changedBy, changedAt }) =>
      from === "operator" && changedAt ? `${changedBy}, ${showRelative(changedAt, now)}` : "code",
    flexible: true,
  },
];

function addSet(group: Command, console: Console): void {
  group
    .command("set")
    .description("Change a rule, or make one under a new name; what is left out stays as it is")
    .argument("<name>")
    .addOption(new Option("--type <type>", "for a new rule").choices(alertTypes))
    .option("--threshold <number>", "so many documents, or seconds for outage, sweep and outbox")
    .option("--window <span>", "within which deaths are counted, such as 5m")
    .addOption(new Option("--severity <severity>").choices(severities))
    .option("--channels <names>", 'separated by commas; "all": every channel that is set up')
    .option("--stage <name>", "only deaths at this stage")
    .option("--code <code>", "only deaths of this fault")
    .option("--remind <span>", "when to tell again while it goes on, such as 4h")
    .option("--resolve <span>", "how long it has to be quiet to be over, such as 15m")
    .option("--on", "switch it on")
    .option("--off", "switch it off")
    .option("--why <text>", "the reason, for the history and the audit")
    .option("--dry-run", "say what would hold, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway alerts rules set deaths --threshold 20 --window 10m`)
    .action(async (name, options) => {
      const change = changeOf(options);
      if (Object.keys(change).length === 0)
        throw new Refusal("Say what to change: --threshold, --window, --severity, --off …", exitCodes.usage);
      const { why, dryRun = false } = options;
      const rule = await withDesk(options, ({ operator }) =>
        operator.setAlertRule({ name, change, ...(why !== undefined && { why }) }, { dryRun }),
      );
      if (options.json) return console.writeJson({ rule, dryRun });
      console.write(
        `${name} ${dryRun ? "would be" : "is"} ${rule.enabled ? "on" : "off"}: ${rule.type}, from ${showNumber(rule.threshold)} within ${showDuration(rule.windowMs)}, ${rule.severity}.\n`,
      );
    });
}

interface ChangeOptions {
  readonly type?: string | undefined;
  readonly threshold?: string | undefined;
  readonly window?: string | undefined;
  readonly severity?: (typeof severities)[number] | undefined;
  readonly channels?: string | undefined;
  readonly stage?: string | undefined;
  readonly code?: string | undefined;
  readonly remind?: string | undefined;
  readonly resolve?: string | undefined;
  readonly on?: boolean | undefined;
  readonly off?: boolean | undefined;
}

function changeOf(given: ChangeOptions): AlertRuleChange {
  const span = (flag: "window" | "remind" | "resolve"): { [Flag in typeof flag]?: Duration } => {
    const text = given[flag];
    return text === undefined ? {} : { [flag]: `${parseSpan(text, `--${flag}`)}ms` as Duration };
  };
  const { type, threshold, severity, channels, stage, code, on, off } = given;
  if (on && off) throw new Refusal("Say --on or --off, not both.", exitCodes.usage);
  return {
    ...(type !== undefined && { type }),
    ...(threshold !== undefined && { threshold: numberOf(threshold) }),
    ...(severity !== undefined && { severity }),
    ...(channels !== undefined && { channels: channelsOf(channels) }),
    ...(stage !== undefined && { stage }),
    ...(code !== undefined && { code }),
    ...((on || off) && { enabled: on === true }),
    ...span("window"),
    ...span("remind"),
    ...span("resolve"),
  };
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value > 0) return value;
  throw new Refusal(`--threshold is "${text}"; expected a number above 0.`, exitCodes.usage);
}

function channelsOf(text: string): readonly string[] {
  if (text === "all") return [];
  const names = text.split(",").map((one) => one.trim());
  for (const name of names)
    if (!channelNames.some((one) => one === name))
      throw new Refusal(
        `There is no channel "${name}"; there are: ${channelNames.join(", ")}.`,
        exitCodes.usage,
      );
  return names;
}

function addHistory(group: Command, console: Console): void {
  group
    .command("history")
    .description("What people have changed, newest first")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway alerts rules history`)
    .action(async (options) => {
      const rows = await withDesk(options, ({ operator }) => operator.alertRuleHistory({ limit: 100 }));
      if (options.json) return rows.forEach(console.writeJson);
      if (rows.length === 0) return console.warn("Nobody has changed a rule.\n");
      console.write(`${table(rows, historyColumns, console.columns)}\n`);
    });
}

const historyColumns: readonly Column<{
  readonly name: string;
  readonly after: { readonly enabled: boolean; readonly threshold: number } | null;
  readonly changedAt: Date;
  readonly changedBy: string;
  readonly why: string | null;
}>[] = [
  { title: "WHEN", of: ({ changedAt }) => showMoment(changedAt) },
  { title: "WHO", of: ({ changedBy }) => changedBy },
  { title: "RULE", of: ({ name }) => name },
  {
    title: "NOW",
    of: ({ after }) =>
      after ? (after.enabled ? `from ${showNumber(after.threshold)}` : "off") : "as the code says",
  },
  { title: "WHY", of: ({ why }) => why ?? "", flexible: true },
];

function addReset(group: Command, console: Console): void {
  group
    .command("reset")
    .description("Take a change back: what the code says holds again")
    .argument("<name>")
    .option("--why <text>", "the reason, for the history and the audit")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway alerts rules reset deaths`)
    .action(async (name, options) => {
      const { why, dryRun = false } = options;
      const { changed } = await withDesk(options, ({ operator }) =>
        operator.resetAlertRule({ name, ...(why !== undefined && { why }) }, { dryRun }),
      );
      if (options.json) return console.writeJson({ name, changed, dryRun });
      if (!changed) return console.warn(`Nobody has changed "${name}".\n`);
      console.write(`${name} ${dryRun ? "would be" : "is"} as the code says again.\n`);
    });
}
