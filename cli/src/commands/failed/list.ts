import type { DeadLetterRow } from "@headway/engine/operate";
import { withDesk } from "../../desk.ts";
import { parseCount } from "../../shared-options.ts";
import { showRelative } from "../../show-time.ts";
import { type Column, type Console, shorten, showCount, table } from "../../terminal.ts";
import type { AddingFailed } from "./failed.ts";
import { addQuarantine, quarantinedOf } from "./quarantine.ts";
import { listDeliveries, tellQuarantine } from "./quarantine-list.ts";
import { addSelection, filterOf, limitOf } from "./select.ts";

const shownMax = 50;
const nameMax = 60;

export function addList({ group, console }: AddingFailed): void {
  const command = group
    .command("list")
    .description("List dead letters, oldest first; below them, what of the broker is in quarantine");
  addQuarantine(addSelection(command))
    .option("--after <number>", "go on after this dead letter")
    .addHelpText(
      "after",
      `
Examples:
  headway failed list
  headway failed list parsing.failed --newer-than 2h
  headway failed list --code mail.unreadable --json
  headway failed list --quarantine headway.inbox           deliveries that are no events, in one queue`,
    )
    .action(async (which, options) => {
      const from =
        options.after === undefined ? 0 : parseCount(options.after, "--after", Number.MAX_SAFE_INTEGER);
      const deliveries = quarantinedOf(which, options);
      if (deliveries) return await listDeliveries(deliveries, options, { console, after: from });
      const filter = filterOf(which, options);
      const limit = limitOf(options) ?? shownMax;
      // Only for the complete list: a filter for dead letters excludes quarantine.
      const isWhole = Object.keys(filter).length === 0 && from === 0;
      const { rows, more, now, quarantine } = await withDesk(options, async ({ operator }) => {
        const found: DeadLetterRow[] = [];
        // One more than requested, to detect further letters.
        for (let after = from; found.length <= limit; after = found.at(-1)?.id ?? after) {
          const page = await operator.listDead({ ...filter, after, limit: limit + 1 - found.length });
          if (page.length === 0) break;
          found.push(...page);
        }
        const groups = isWhole ? await operator.groupQuarantined() : [];
        return {
          rows: found.slice(0, limit),
          more: found.length > limit,
          now: operator.now(),
          quarantine: groups,
        };
      });
      if (options.json) {
        for (const { stage_number: _, ...row } of rows) console.writeJson(row);
        if (quarantine.length > 0) console.writeJson({ quarantine });
        return;
      }
      showRows(rows, { more, now }, console);
      tellQuarantine(quarantine, console);
    });
}

function showRows(
  rows: readonly DeadLetterRow[],
  { more, now }: { readonly more: boolean; readonly now: Date },
  console: Console,
): void {
  if (rows.length === 0) {
    console.warn("No dead letter fits.\n");
    return;
  }
  console.write(`${table(rows, columnsAt(now), console.columns)}\n`);
  const last = rows.at(-1)?.id;
  if (more) console.warn(`There are more; go on with: --after ${last}\n`);
  console.warn(
    `${showCount(rows.length, "dead letter")}. Look at one with: headway failed inspect ${last}\n`,
  );
}

const columnsAt = (now: Date): Column<DeadLetterRow>[] => [
  { title: "ID", of: ({ id }) => String(id), align: "right" },
  { title: "STAGE", of: ({ stage }) => stage },
  {
    title: "DOCUMENT",
    of: ({ collection, document }) => shorten(collection ? `${collection}/${document}` : document, nameMax),
  },
  { title: "CODE", of: ({ code }) => code },
  { title: "TRIES", of: ({ attempts, crashes }) => String(attempts + crashes), align: "right" },
  { title: "DIED", of: ({ died_at: at }) => showRelative(at, now) },
  { title: "", of: ({ closed_as: as }) => as ?? "" },
  { title: "MESSAGE", of: ({ message }) => message, flexible: true },
];
