import {
  hasSubscriptionTables,
  listSubscriptions,
  readDeliveries,
  type SubscriptionRow,
  type SubscriptionSpec,
} from "@headway/consensus";
import { showSchedule } from "@headway/intake";
import { withDesk } from "../../desk.ts";
import type { Adding } from "../../run.ts";
import { sharedFlags } from "../../shared-options.ts";
import { showMoment, showRelative } from "../../show-time.ts";
import { oneLine, showCount, showNumber, table } from "../../terminal.ts";
import { mustReadSubscription } from "./open.ts";

/** A subscription in a few words. */
export function showSubscription(spec: SubscriptionSpec): string {
  const about = [
    spec.list === null ? "all lists" : `list ${spec.list}`,
    ...(spec.asks === null ? [] : [`questions with "${spec.asks}"`]),
    ...(spec.search === null ? [] : [`threads with "${spec.search}"`]),
  ].join(", ");
  const when = spec.time === "decided" ? "when decided" : `${spec.time} (${showSchedule(spec.schedule)})`;
  const targets = spec.targets.map(({ kind, to }) => `${kind} ${to}`).join(", ");
  return oneLine(`${about}; ${when}; to ${targets}`);
}

const lineOf = (row: SubscriptionRow) => ({
  name: row.name,
  ...row.spec,
  nextAt: row.next_at,
  edition: row.edition,
  paused: row.paused_at && { at: row.paused_at, by: row.paused_by, why: row.paused_why },
  addedAt: row.added_at,
  addedBy: row.added_by,
  hasSecret: row.has_secret,
});

/** `list` (also without a word) and `show`. */
export function addLookSubscriptions(adding: Adding): void {
  addList(adding);
  addShow(adding);
}

function addList({ program, console }: Adding): void {
  program
    .command("list", { isDefault: true })
    .description("List the subscriptions, and when each reports next")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway subscriptions\n  headway subscriptions list --json | jq -r .name`,
    )
    .action(async (options) => {
      const { rows, now } = await withDesk(options, async ({ database, operator }) => ({
        rows: (await hasSubscriptionTables(database)) ? await listSubscriptions(database) : [],
        now: operator.now(),
      }));
      if (options.json) return rows.map(lineOf).forEach(console.writeJson);
      if (rows.length === 0)
        return console.warn(
          'There is no subscription yet: add one with "headway subscriptions add NAME --weekly --mail ADDRESS".\n',
        );
      const next = ({ next_at: at, paused_at: paused }: SubscriptionRow) =>
        paused ? "paused" : at ? showRelative(at, now) : "–";
      const columns = [
        { title: "SUBSCRIPTION", of: ({ name }: SubscriptionRow) => name },
        { title: "REPORTS", of: ({ edition }: SubscriptionRow) => showNumber(edition), align: "right" },
        { title: "NEXT", of: next },
        { title: "WHAT", of: ({ spec }: SubscriptionRow) => showSubscription(spec), flexible: true },
      ] as const;
      console.write(`${table(rows, columns, console.columns)}\n`);
      console.warn(`${showCount(rows.length, "subscription")}.\n`);
    });
}

function addShow({ program, console }: Adding): void {
  program
    .command("show")
    .description("Show a subscription with its last deliveries")
    .argument("<name>", "the subscription")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway subscriptions show quic-weekly`)
    .action(async (name, options) => {
      const { row, deliveries, now } = await withDesk(options, async ({ database, operator }) => ({
        row: await mustReadSubscription(database, name),
        deliveries: await readDeliveries(database, name),
        now: operator.now(),
      }));
      if (options.json) return console.writeJson({ ...lineOf(row), deliveries });
      const next =
        row.next_at && !row.paused_at
          ? `${showMoment(row.next_at)} (${showRelative(row.next_at, now)})`
          : "none";
      console.write(`${row.name}\n  ${showSubscription(row.spec)}\n  Next report ${next}\n`);
      if (deliveries.length === 0) return console.warn(`No report yet: headway subscriptions run ${name}\n`);
      type Line = (typeof deliveries)[number];
      const columns = [
        { title: "REPORT", of: ({ report }: Line) => report },
        { title: "TO", of: ({ kind, to }: Line) => `${kind} ${to}` },
        {
          title: "STATE",
          of: ({ state, fault }: Line) => (fault === null ? state : `${state}: ${oneLine(fault)}`),
        },
        { title: "SUBJECT", of: ({ subject }: Line) => oneLine(subject), flexible: true },
      ] as const;
      console.write(`\n${table(deliveries.slice(0, 20), columns, console.columns)}\n`);
    });
}
