import type { Command } from "@commander-js/extra-typings";
import { withDesk } from "../desk.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { parseCount, sharedFlags } from "../shared-options.ts";
import { showRelative } from "../show-time.ts";
import { type Console, oneLine, showNumber, table } from "../terminal.ts";

const states = ["open", "resolved", "muted"] as const;

/** Errors that other services reported to `POST /api/errors`. */
export function addErrors({ program, console }: Adding): void {
  const group = program
    .command("errors")
    .description("Show errors reported by services, grouped by cause")
    .addHelpText(
      "after",
      `
Examples:
  headway errors groups
  headway errors list --service parsing --limit 20 --json
  headway errors set 4f1c09ab22de resolved --release 1.4.0 --why "fixed the parser"

Services report with POST /api/errors to the address of "headway up" or "headway serve". A resolved group opens again
with an error of a newer release. Faults of stages are under "headway failed".`,
    );
  addGroups(group, console);
  addList(group, console);
  addSet(group, console);
}

function addGroups(group: Command, console: Console): void {
  group
    .command("groups")
    .description("Causes, the newest first, with exact counts")
    .option("--state <state>", `only ${states.join(", ")}`)
    .option("--limit <number>", "how many", "50")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", "\nExamples:\n  headway errors groups\n  headway errors groups --state open --json")
    .action(async (options) => {
      const state = options.state === undefined ? null : stateOf(options.state);
      const limit = parseCount(options.limit, "--limit", 1_000);
      const { groups, now } = await withDesk(options, async ({ operator }) => ({
        groups: await operator.groupErrors({ state, limit }),
        now: operator.now(),
      }));
      if (options.json) return groups.forEach(console.writeJson);
      if (groups.length === 0) return console.warn("No error was reported.\n");
      const columns = [
        { title: "GROUP", of: (one: (typeof groups)[number]) => one.fingerprint },
        { title: "SERVICE", of: (one: (typeof groups)[number]) => one.service },
        { title: "STATE", of: (one: (typeof groups)[number]) => one.state },
        {
          title: "COUNT",
          of: (one: (typeof groups)[number]) => showNumber(one.count),
          align: "right" as const,
        },
        { title: "LAST", of: (one: (typeof groups)[number]) => showRelative(one.lastAt, now) },
        {
          title: "ERROR",
          of: (one: (typeof groups)[number]) => oneLine(`${one.errorType}: ${one.title}`),
          flexible: true,
        },
      ];
      console.write(`${table(groups, columns, console.columns)}\n`);
    });
}

function addList(group: Command, console: Console): void {
  group
    .command("list")
    .description("Single errors, the newest first; the newest 10,000 are kept")
    .option("--service <name>", "only of this service")
    .option("--group <fingerprint>", "only of this group")
    .option("--limit <number>", "how many", "50")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      "\nExamples:\n  headway errors list --service parsing\n  headway errors list --group 4f1c09ab22de --json",
    )
    .action(async ({ service, group: fingerprint, limit, ...options }) => {
      const filter = { service, fingerprint, limit: parseCount(limit, "--limit", 1_000) };
      const errors = await withDesk(options, ({ operator }) => operator.listErrors(filter));
      if (options.json) return errors.forEach(console.writeJson);
      if (errors.length === 0) return console.warn("No error was reported.\n");
      for (const one of errors)
        console.write(
          `${one.at.toISOString()} ${one.level} ${oneLine(one.service)} ${oneLine(`${one.error_type}: ${one.message}`)}\n`,
        );
    });
}

function addSet(group: Command, console: Console): void {
  group
    .command("set")
    .description("Resolve, mute or open a group")
    .argument("<group>")
    .argument("<state>", states.join(", "))
    .option("--release <version>", "resolved in this release: only newer ones open the group again")
    .option("--why <text>", "the reason, for the audit")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      '\nExamples:\n  headway errors set 4f1c09ab22de resolved --release 1.4.0 --why "fixed"',
    )
    .action(async (fingerprint, stateText, { release, why, ...options }) => {
      const state = stateOf(stateText);
      const changed = await withDesk(options, ({ operator }) =>
        operator.setErrorGroup(fingerprint, { state, release, why }),
      );
      if (options.json) return console.writeJson(changed);
      console.write(`Group ${fingerprint} is ${state}.\n`);
    });
}

function stateOf(text: string): (typeof states)[number] {
  const found = states.find((one) => one === text);
  if (!found) throw new Refusal(`"${text}" is no state; expected ${states.join(", ")}.`, exitCodes.usage);
  return found;
}
