import { Option } from "@commander-js/extra-typings";
import { withDesk } from "../../desk.ts";
import { showCount } from "../../terminal.ts";
import type { AddingFailed } from "./failed.ts";
import { addQuarantine, quarantinedOf } from "./quarantine.ts";
import { exportDeliveries } from "./quarantine-acts.ts";
import { addSelection, filterOf, limitOf } from "./select.ts";
import { writeWhole } from "./write-whole.ts";

export function addFailedExport({ group, console }: AddingFailed): void {
  const command = group
    .command("export")
    .description("Write dead letters whole as NDJSON: original input and every fault, one letter a line");
  addQuarantine(addSelection(command))
    .option("--out <file>", "into this file instead of the output; it appears when it is whole")
    .addOption(new Option("--output <file>", "the same as --out").hideHelp())
    .addHelpText(
      "after",
      `
Examples:
  headway failed export > failed.ndjson
  headway failed export parsing --older-than 30d --out old.ndjson
  headway failed export --json | jq -r '.input.subject'
  headway failed export q12 | jq -r .body_base64 | base64 -d > q12.bin

Exporting changes nothing. What was purged afterwards comes back with: headway failed import failed.ndjson`,
    )
    .action(async (which, { output, ...given }) => {
      const options = output === undefined ? given : { out: output, ...given };
      const deliveries = quarantinedOf(which, options);
      if (deliveries) return await exportDeliveries(deliveries, options, console);
      const filter = filterOf(which, options);
      const limit = limitOf(options);
      let letters = 0;
      await withDesk(options, async ({ operator }) => {
        const all = operator.exportDead({ ...filter, ...(limit !== undefined && { limit }) });
        if (options.out === undefined) {
          for await (const letter of all) {
            console.writeJson(letter);
            letters += 1;
          }
        } else letters = await writeWhole(options.out, all);
      });
      const where = options.out === undefined ? "" : ` to ${options.out}`;
      console.warn(`Exported ${showCount(letters, "dead letter")}${where}.\n`);
    });
}
