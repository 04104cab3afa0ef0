import { open, rename } from "node:fs/promises";
import { withDesk } from "../../desk.ts";
import { showCount } from "../../terminal.ts";
import type { AddingFailed } from "./failed.ts";
import { addSelection, filterOf, limitOf } from "./select.ts";

export function addFailedExport({ group, console }: AddingFailed): void {
  const command = group
    .command("export")
    .description("Write dead letters whole as NDJSON: original input and every fault, one letter a line");
  addSelection(command)
    .option("--out <file>", "into this file instead of the output; it appears when it is whole")
    .addHelpText(
      "after",
      `
Examples:
  headway failed export > failed.ndjson
  headway failed export parsing --older-than 30d --out old.ndjson
  headway failed export --json | jq -r '.input.subject'

Exporting changes nothing. What was purged afterwards comes back with: headway failed import failed.ndjson`,
    )
    .action(async (which, options) => {
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

/** Half an export must not be taken for a whole one; what is in it is nobody else's business. */
async function writeWhole(place: string, letters: AsyncIterable<object>): Promise<number> {
  const part = `${place}.part`;
  let count = 0;
  const file = await open(part, "w", 0o600);
  try {
    for await (const letter of letters) {
      await file.write(`${JSON.stringify(letter)}\n`);
      count += 1;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, place);
  return count;
}
