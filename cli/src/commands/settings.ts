import type { Command } from "@commander-js/extra-typings";
import { type Duration, showDuration } from "@headway/engine";
import type {
  SettingHistoryRow,
  SettingInForce,
  SettingName,
  SettingsChange,
  StageSettings,
} from "@headway/engine/operate";
import { withDesk } from "../desk.ts";
import { Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { parseCount, parsePriority, parseSpan, sharedFlags } from "../shared-options.ts";
import { showMoment, showRelative } from "../show-time.ts";
import { type Column, type Console, table } from "../terminal.ts";

export function addSettings({ program, console }: Adding): void {
  const group = program
    .command("settings")
    .description("Show and change timeout, concurrency, rate and priority")
    .addHelpText(
      "after",
      `
Examples:
  headway settings list
  headway settings set embedding --rate 600/1m --concurrency 8 --why "a new quota"
  headway settings set embedding --rate none
  headway settings history embedding
  headway settings reset embedding rate

Running workers follow a change within seconds; an attempt under way keeps its timeout. Retries: headway policies.`,
    );
  addList(group, console);
  addSet(group, console);
  addHistory(group, console);
  addReset(group, console);
}

function addList(group: Command, console: Console): void {
  group
    .command("list")
    .description("The settings of every stage, and where each comes from")
    .argument("[stage]", "only of this stage")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway settings list\n  headway settings list embedding --json`)
    .action(async (stage, options) => {
      const { all, now } = await withDesk(options, async ({ operator }) => ({
        all: await operator.listSettings(),
        now: operator.now(),
      }));
      const lines = all.filter((one) => stage === undefined || one.stage === stage);
      if (options.json) return lines.forEach(console.writeJson);
      if (lines.length === 0) throw new Refusal(noStage(stage, all));
      console.write(`${table(lines, columnsAt(now), console.columns)}\n`);
      console.warn("Change one with: headway settings set STAGE --concurrency …\n");
    });
}

const noStage = (stage: string | undefined, all: readonly SettingInForce[]): string =>
  stage === undefined
    ? 'No pipeline has run here yet; start with "headway up".'
    : `There is no stage "${stage}"; there are: ${[...new Set(all.map((one) => one.stage))].join(", ")}.`;

const columnsAt = (now: Date): Column<SettingInForce>[] => [
  { title: "STAGE", of: ({ stage }) => stage },
  { title: "SETTING", of: ({ setting }) => wordOf(setting) },
  { title: "VALUE", of: ({ setting, value }) => showValue(setting, value), align: "right" },
  {
    title: "FROM",
    of: ({ from, changedBy, changedAt }) =>
      from === "operator" && changedAt ? `${changedBy}, ${showRelative(changedAt, now)}` : from,
    flexible: true,
  },
];

const words: Readonly<Record<SettingName, string>> = {
  timeoutMs: "timeout",
  concurrency: "concurrency",
  rate: "rate",
  priority: "priority",
};
const wordOf = (name: SettingName): string => words[name];

function showValue(name: SettingName, value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (name === "timeoutMs") return showDuration(Number(value));
  if (name !== "rate") return String(value);
  const { limit, perMs } = value as { readonly limit: number; readonly perMs: number };
  return `${limit}/${showDuration(perMs)}`;
}

function addSet(group: Command, console: Console): void {
  group
    .command("set")
    .description("Change settings of a stage; what is left out stays as it is")
    .argument("<stage>")
    .option("--timeout <duration>", "time limit of an attempt, such as 5m")
    .option("--concurrency <number>", 'documents at a time over all workers; "none": no limit')
    .option(
      "--rate <limit/period>",
      'documents per period over all workers, such as 600/1m; "none": no limit',
    )
    .option("--priority <number>", "larger goes first, from -1000 to 1000")
    .option("--why <text>", "the reason, for the history and the audit")
    .option("--dry-run", "say what would hold, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway settings set parsing --timeout 20m --why "a slow file server"`,
    )
    .action(async (stage, options) => {
      const change = changeOf(options);
      if (Object.keys(change).length === 0)
        throw new Refusal("Say what to change: --timeout, --concurrency, --rate or --priority.", 2);
      const { why, dryRun = false } = options;
      const settings = await withDesk(options, ({ operator }) =>
        operator.setSettings({ stage, change, ...(why !== undefined && { why }) }, { dryRun }),
      );
      if (options.json) return console.writeJson({ stage, settings, dryRun });
      console.write(`${stage}: ${dryRun ? "would be " : ""}${showSettings(settings)}\n`);
    });
}

const showSettings = (settings: StageSettings): string =>
  (Object.keys(words) as SettingName[])
    .map((name) => `${wordOf(name)} ${showValue(name, settings[name])}`)
    .join(", ");

interface ChangeOptions {
  readonly timeout?: string | undefined;
  readonly concurrency?: string | undefined;
  readonly rate?: string | undefined;
  readonly priority?: string | undefined;
}

function changeOf({ timeout, concurrency, rate, priority }: ChangeOptions): SettingsChange {
  return {
    ...(timeout !== undefined && { timeout: parseDuration(timeout, "--timeout") }),
    ...(concurrency !== undefined && {
      concurrency: concurrency === "none" ? null : parseCount(concurrency, "--concurrency", 1_000_000),
    }),
    ...(rate !== undefined && { rate: parseRate(rate) }),
    ...(priority !== undefined && { priority: parsePriority(priority) }),
  };
}

/** `600/1m`, or `none`. */
function parseRate(text: string): (SettingsChange["rate"] & {}) | null {
  if (text === "none") return null;
  const [limit, per, ...rest] = text.split("/");
  if (limit === undefined || per === undefined || rest.length > 0)
    throw new Refusal(`--rate is "${text}"; expected a number of documents per period such as 600/1m.`, 2);
  return { limit: parseCount(limit, "--rate", 1_000_000), per: parseDuration(per, "--rate") };
}

function parseDuration(text: string, flag: string): Duration {
  parseSpan(text, flag);
  return text as Duration;
}

function settingOf(text: string): SettingName {
  const found = (Object.keys(words) as SettingName[]).find((name) => words[name] === text);
  if (found) return found;
  throw new Refusal(`There is no setting "${text}"; there are: ${Object.values(words).join(", ")}.`, 2);
}

function addHistory(group: Command, console: Console): void {
  group
    .command("history")
    .description("Changes by people, newest first")
    .argument("[stage]", "only of this stage")
    .option("--limit <number>", "how many", "30")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway settings history parsing --limit 5`)
    .action(async (stage, options) => {
      const limit = parseCount(options.limit, "--limit", 10_000);
      const rows = await withDesk(options, ({ operator }) =>
        operator.settingHistory({ limit, ...(stage !== undefined && { stage }) }),
      );
      if (options.json) return rows.forEach(console.writeJson);
      if (rows.length === 0) return console.warn("No setting was changed by a person.\n");
      console.write(`${table(rows, historyColumns, console.columns)}\n`);
    });
}

const historyColumns: readonly Column<SettingHistoryRow>[] = [
  { title: "WHEN", of: ({ changed_at: at }) => showMoment(at) },
  { title: "WHO", of: ({ changed_by: by }) => by },
  { title: "STAGE", of: ({ stage }) => stage },
  { title: "SETTING", of: ({ setting }) => wordOf(setting) },
  {
    title: "NOW",
    of: ({ setting, after, unlimited }) =>
      after === null && !unlimited ? "as the code says" : showValue(setting, after),
  },
  { title: "WHY", of: ({ why }) => why ?? "", flexible: true },
];

function addReset(group: Command, console: Console): void {
  group
    .command("reset")
    .description("Take a change back: the code's setting holds again")
    .argument("<stage>")
    .argument("<setting>", Object.values(words).join(", "))
    .option("--why <text>", "the reason, for the history and the audit")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway settings reset embedding rate --why "the old quota again"`)
    .action(async (stage, word, options) => {
      const setting = settingOf(word);
      const { why, dryRun = false } = options;
      const { changed } = await withDesk(options, ({ operator }) =>
        operator.resetSetting({ stage, setting, ...(why !== undefined && { why }) }, { dryRun }),
      );
      if (options.json) return console.writeJson({ stage, setting, changed, dryRun });
      if (!changed) return console.warn(`No person has changed it: ${stage}, ${word} is as the code says.\n`);
      console.write(`${stage}, ${word}: ${dryRun ? "would be" : "is"} as the code says again.\n`);
    });
}
