import type { Command } from "@commander-js/extra-typings";
import type { AlertLine, WholeAlert } from "@headway/engine/operate";
import { withDesk } from "../../desk.ts";
import { exitCodes, Refusal } from "../../exit-codes.ts";
import { noteBlock } from "../../note-lines.ts";
import type { Adding } from "../../run.ts";
import { parseCount, parseSpan, sharedFlags } from "../../shared-options.ts";
import { showMoment, showRelative } from "../../show-time.ts";
import { type Column, type Console, showNumber, table } from "../../terminal.ts";
import { addRules } from "./rules.ts";
import { addTest } from "./send-test.ts";

export function addAlerts({ program, console, end }: Adding): void {
  const group = program
    .command("alerts")
    .description("Show and steer alerts and their rules")
    .addHelpText(
      "after",
      `
Examples:
  headway alerts list
  headway alerts show 12
  headway alerts ack 12 --why "the vendor knows"
  headway alerts mute 12 2h
  headway alerts rules list
  headway alerts test

One worker looks every few seconds. Set HEADWAY_ALERT_MAIL_TO, HEADWAY_ALERT_WEBHOOK_URL or another channel for it, and people
are told; without a channel alerts are only listed here.`,
    );
  addList(group, console);
  addShow(group, console);
  addAck(group, console);
  addMute(group, console);
  addRules(group, console);
  addTest(group, console, end);
}

function addList(group: Command, console: Console): void {
  group
    .command("list")
    .description("Open alerts, the newest first")
    .option("--all", "those that are resolved, too")
    .option("--limit <number>", "how many", "50")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway alerts list\n  headway alerts list --all --limit 10 --json`)
    .action(async (options) => {
      const limit = parseCount(options.limit, "--limit", 10_000);
      const state = options.all ? "all" : "open";
      const { alerts, now } = await withDesk(options, async ({ operator }) => ({
        alerts: await operator.listAlerts({ state, limit }),
        now: operator.now(),
      }));
      if (options.json) return alerts.forEach(console.writeJson);
      if (alerts.length === 0) return console.warn("No alert is open.\n");
      console.write(`${table(alerts, columnsAt(now), console.columns)}\n`);
    });
}

const columnsAt = (now: Date): Column<AlertLine>[] => [
  { title: "ID", of: ({ id }) => String(id), align: "right" },
  { title: "SEVERITY", of: ({ severity }) => severity },
  { title: "RULE", of: ({ rule }) => rule },
  { title: "ABOUT", of: ({ key }) => key, flexible: true },
  { title: "COUNT", of: ({ count }) => showNumber(Math.round(count)), align: "right" },
  { title: "SINCE", of: ({ firstAt }) => showRelative(firstAt, now) },
  { title: "LAST", of: ({ lastAt }) => showRelative(lastAt, now) },
  { title: "STATE", of: ({ state }) => state },
];

function addShow(group: Command, console: Console): void {
  group
    .command("show")
    .description("One alert: what was told, to whom, and what failed")
    .argument("<id>")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway alerts show 12\n  headway alerts show 12 --json`)
    .action(async (idText, options) => {
      const id = parseCount(idText, "ID", Number.MAX_SAFE_INTEGER);
      const { whole, notes } = await withDesk(options, async ({ operator }) => ({
        whole: await operator.showAlert(id),
        notes: await noteBlock(operator, [{ kind: "alert", name: String(id) }], console),
      }));
      if (options.json) return console.writeJson(whole);
      tellAlert(whole, console);
      if (notes !== "") console.write(`\n${notes}\n`);
    });
}

function tellAlert({ alert, deliveries }: WholeAlert, console: Console): void {
  const { id, rule, key, severity, state, count, folded, firstAt, lastAt, times, facts } = alert;
  const newest = deliveries.at(-1)?.body;
  const lines = [
    `Alert ${id} (${severity}, ${state}): rule ${rule}, ${key}`,
    `  since ${showMoment(firstAt)}, last ${showMoment(lastAt)}${times > 1 ? `, time ${times} within a day` : ""}`,
    `  count ${showNumber(Math.round(count))}${folded > 0 ? `, and ${showNumber(folded)} folded` : ""}`,
    ...(facts.document ? [`  one of them: ${facts.document}`] : []),
    ...(facts.message ? [`  it says: ${facts.message}`] : []),
    ...(newest ? ["", newest.subject, newest.text.trimEnd()] : []),
  ];
  console.write(`${lines.join("\n")}\n`);
  if (deliveries.length > 0) console.write(`\n${table(deliveries, deliveryColumns, console.columns)}\n`);
  else console.warn("Nobody was told: no channel is set up where the workers run.\n");
}

const deliveryColumns: readonly Column<WholeAlert["deliveries"][number]>[] = [
  { title: "NOTICE", of: ({ notice }) => notice },
  { title: "CHANNEL", of: ({ channel }) => channel },
  { title: "TO", of: ({ target }) => target, flexible: true },
  { title: "TRIES", of: ({ attempts }) => String(attempts), align: "right" },
  {
    title: "STATE",
    of: ({ sentAt, givenUpAt, fault }) =>
      sentAt
        ? `sent ${showMoment(sentAt)}`
        : `${givenUpAt ? "given up" : "waits"}${fault ? `: ${fault}` : ""}`,
  },
];

function addAck(group: Command, console: Console): void {
  group
    .command("ack")
    .description("Say that you care for it: no more reminders, only if it gets worse or ends")
    .argument("<id>")
    .option("--why <text>", "the reason, for the audit")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway alerts ack 12 --why "the vendor knows"`)
    .action(async (idText, options) => {
      const id = parseCount(idText, "ID", Number.MAX_SAFE_INTEGER);
      const { why, dryRun = false } = options;
      const { changed } = await withDesk(options, ({ operator }) =>
        operator.ackAlert(id, { dryRun, ...(why !== undefined && { why }) }),
      );
      if (options.json) return console.writeJson({ id, changed, dryRun });
      if (!changed) return console.warn(`Alert ${id} is acknowledged or resolved already.\n`);
      console.write(`Alert ${id} ${dryRun ? "would be" : "is"} acknowledged.\n`);
    });
}

function addMute(group: Command, console: Console): void {
  group
    .command("mute")
    .description("No notices for a while; everything is counted all the same")
    .argument("<id>")
    .argument("<span>", "such as 30m, 2h or 1d")
    .option("--why <text>", "the reason, for the audit")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway alerts mute 12 2h --why "a planned move"`)
    .action(async (idText, span, options) => {
      const id = parseCount(idText, "ID", Number.MAX_SAFE_INTEGER);
      const ms = parseSpan(span, "SPAN");
      if (ms > muteMaxMs) throw new Refusal("An alert is muted for 30d at most.", exitCodes.usage);
      const { why, dryRun = false } = options;
      const { changed, until } = await withDesk(options, ({ operator }) =>
        operator.muteAlert(id, { for: `${ms}ms`, dryRun, ...(why !== undefined && { why }) }),
      );
      if (options.json) return console.writeJson({ id, changed, until, dryRun });
      if (!changed) return console.warn(`Alert ${id} is resolved already.\n`);
      console.write(
        `Alert ${id} ${dryRun ? "would be" : "is"} muted until ${showMoment(new Date(until))}.\n`,
      );
    });
}

const muteMaxMs = 30 * 24 * 3_600_000;
