import type { DeadGroup } from "@headway/engine/operate";
import { withDesk } from "../../desk.ts";
import { showRelative } from "../../show-time.ts";
import { type Column, oneLine, showCount, showNumber, table, wrap } from "../../terminal.ts";
import type { AddingFailed } from "./failed.ts";
import { addSelection, filterOf, limitOf } from "./select.ts";

export function addGroups({ group, console }: AddingFailed): void {
  const command = group
    .command("groups")
    .description("Dead letters by what they died of, the largest group first");
  addSelection(command)
    .addHelpText(
      "after",
      `
Examples:
  headway failed groups
  headway failed groups parsing --newer-than 1d

One group has one cause, whatever names and numbers are in its messages. "retry" says that the stage has other code,
settings or another model now than when they died: send one back first with "failed requeue --fingerprint … --ramp".`,
    )
    .action(async (which, options) => {
      const filter = filterOf(which, options);
      const { groups, now } = await withDesk(options, async ({ operator }) => ({
        groups: await operator.groupDead({ ...filter, limit: limitOf(options) ?? 100 }),
        now: operator.now(),
      }));
      if (options.json) return groups.forEach(console.writeJson);
      if (groups.length === 0) return console.warn("No dead letter fits.\n");
      console.write(`${table(groups, columnsAt(now), console.columns)}\n`);
      const letters = groups.reduce((sum, one) => sum + one.letters, 0);
      console.warn(`${showCount(letters, "dead letter")} in ${showCount(groups.length, "group")}.\n`);
      for (const [code, fix] of new Map(groups.map((one) => [one.code, one.fix])))
        console.warn(`${wrap(`${oneLine(code)}: ${fix}`, console.columns)}\n`);
      const best = groups.find((one) => one.retry_suggested);
      const next = best ?? groups[0];
      const advice = best
        ? `${best.stage} has changed since; try one, then more, with: headway failed requeue --fingerprint ${best.fingerprint} --ramp`
        : `Look at those of a group with: headway failed inspect --fingerprint ${next?.fingerprint}`;
      console.warn(`${advice}\n`);
    });
}

const columnsAt = (now: Date): Column<DeadGroup>[] => [
  { title: "LETTERS", of: ({ letters }) => showNumber(letters), align: "right" },
  { title: "STAGE", of: ({ stage }) => stage },
  { title: "CODE", of: ({ code }) => code },
  { title: "KIND", of: ({ kind }) => kind },
  { title: "FIRST", of: ({ first_at: at }) => showRelative(at, now) },
  { title: "LAST", of: ({ last_at: at }) => showRelative(at, now) },
  { title: "VERSION", of: ({ versions }) => versions.join(", ") },
  { title: "", of: ({ retry_suggested: suggested }) => (suggested ? "retry" : "") },
  { title: "FINGERPRINT", of: ({ fingerprint }) => fingerprint },
  { title: "MESSAGE", of: ({ message }) => message, flexible: true },
];
