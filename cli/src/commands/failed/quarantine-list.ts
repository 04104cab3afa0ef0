import type { QuarantinedFilter, QuarantineGroupRow, QuarantineRow } from "@headway/engine/operate";
import { showBytes } from "../../checkup/finding.ts";
import { withDesk } from "../../desk.ts";
import { showRelative } from "../../show-time.ts";
import { type Column, type Console, showCount, showNumber, table } from "../../terminal.ts";
import { nameOf, withName } from "./quarantine.ts";
import { limitOf, type SelectOptions } from "./select.ts";

const shownMax = 50;

/** Deliveries in quarantine, oldest first; `after` is the number of the last delivery seen. */
export async function listDeliveries(
  filter: QuarantinedFilter,
  options: SelectOptions,
  { console, after: from }: { readonly console: Console; readonly after: number },
): Promise<void> {
  const limit = limitOf(options) ?? shownMax;
  const { rows, more, now } = await withDesk(options, async ({ operator }) => {
    const found: QuarantineRow[] = [];
    for (let after = from; found.length <= limit; after = found.at(-1)?.id ?? after) {
      const page = await operator.listQuarantined({ ...filter, after, limit: limit + 1 - found.length });
      if (page.length === 0) break;
      found.push(...page);
    }
    return { rows: found.slice(0, limit), more: found.length > limit, now: operator.now() };
  });
  if (options.json) return rows.map(withName).forEach(console.writeJson);
  const last = rows.at(-1);
  if (!last) return console.warn("No delivery in quarantine fits.\n");
  console.write(`${table(rows, columnsAt(now), console.columns)}\n`);
  if (more) console.warn(`There are more; go on with: --after ${last.id}\n`);
  console.warn(
    `${showCount(rows.length, "delivery", "deliveries")} in quarantine. Look at one with: headway failed inspect ${nameOf(last)}\n`,
  );
}

const columnsAt = (now: Date): Column<QuarantineRow>[] => [
  { title: "ID", of: nameOf, align: "right" },
  { title: "QUEUE", of: ({ queue }) => queue },
  { title: "REASON", of: ({ reason }) => reason },
  { title: "SIZE", of: ({ bytes }) => showBytes(bytes), align: "right" },
  { title: "TIMES", of: ({ times }) => showNumber(times), align: "right" },
  { title: "FIRST", of: ({ first_at: at }) => showRelative(at, now) },
  { title: "LAST", of: ({ last_at: at }) => showRelative(at, now) },
  { title: "DETAIL", of: ({ detail }) => detail, flexible: true },
];

/** Mentions deliveries in quarantine below the dead letters. */
export function tellQuarantine(groups: readonly QuarantineGroupRow[], console: Console): void {
  if (groups.length === 0) return;
  const all = groups.reduce((sum, one) => sum + one.deliveries, 0);
  console.write(`\n${showCount(all, "delivery", "deliveries")} in quarantine:\n`);
  console.write(`${table(groups, groupColumns, console.columns)}\n`);
  console.warn("See them with: headway failed list --quarantine\n");
}

const groupColumns: readonly Column<QuarantineGroupRow>[] = [
  { title: "DELIVERIES", of: ({ deliveries }) => showNumber(deliveries), align: "right" },
  { title: "QUEUE", of: ({ queue }) => queue },
  { title: "REASON", of: ({ reason }) => reason },
  { title: "TIMES", of: ({ times }) => showNumber(times), align: "right" },
];
