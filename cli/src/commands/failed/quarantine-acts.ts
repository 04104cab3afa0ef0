import type { QuarantinedFilter } from "@headway/engine/operate";
import { confirm } from "../../confirm.ts";
import { withDesk } from "../../desk.ts";
import { Refusal } from "../../exit-codes.ts";
import { type Console, showCount } from "../../terminal.ts";
import { showDeliveries, withName } from "./quarantine.ts";
import { type ActOptions, limitOf, type SelectOptions } from "./select.ts";
import { writeWhole } from "./write-whole.ts";

/** Deliveries as NDJSON, their bytes as base64. */
export async function exportDeliveries(
  filter: QuarantinedFilter,
  options: SelectOptions & { readonly out?: string },
  console: Console,
): Promise<void> {
  const limit = limitOf(options);
  let deliveries = 0;
  await withDesk(options, async ({ operator }) => {
    const all = named(operator.exportQuarantined({ ...filter, ...(limit !== undefined && { limit }) }));
    if (options.out !== undefined) deliveries = await writeWhole(options.out, all);
    else
      for await (const one of all) {
        console.writeJson(one);
        deliveries += 1;
      }
  });
  const where = options.out === undefined ? "" : ` to ${options.out}`;
  console.warn(`Exported ${showCount(deliveries, "delivery", "deliveries")}${where}.\n`);
}

async function* named<Row extends { readonly id: number }>(rows: AsyncIterable<Row>) {
  for await (const row of rows) yield withName(row);
}

/** Deletes deliveries for good, after a confirmation. */
export async function purgeDeliveries(
  filter: QuarantinedFilter,
  options: ActOptions,
  console: Console,
): Promise<void> {
  const limit = limitOf(options);
  if (Object.keys(filter).length === 0 && !options.all && limit === undefined)
    throw new Refusal(
      'Say which: a queue, q12, --reason, --older-than or --all; "headway failed purge --quarantine --all --dry-run" shows what that would be.',
      2,
    );
  const acting = {
    ...(limit !== undefined && { limit }),
    ...(options.why !== undefined && { why: options.why }),
  };
  await withDesk(options, async ({ operator }) => {
    const before = await operator.purgeQuarantined(filter, { ...acting, dryRun: true });
    const only = options.dryRun === true || before.purged === 0;
    if (!only)
      await confirm(`Purge ${showDeliveries(before.purged, before.reasons)}? They are gone for good.`, {
        ...options,
        console,
      });
    const { purged, reasons } = only ? before : await operator.purgeQuarantined(filter, acting);
    if (options.json) return console.writeJson({ purged, reasons, dryRun: options.dryRun === true });
    if (purged === 0) return console.warn("No delivery in quarantine fits.\n");
    console.write(`${options.dryRun ? "Would purge" : "Purged"} ${showDeliveries(purged, reasons)}.\n`);
  });
}
