import { withDesk } from "../desk.ts";
import type { Adding } from "../run.ts";
import { sharedFlags } from "../shared-options.ts";
import { oneLine } from "../terminal.ts";
import { nameOf, whichDocument } from "../which-document.ts";

export function addCancel({ program, console }: Adding): void {
  program
    .command("cancel")
    .description("Cancel the open tasks of a document")
    .argument("<id>", "a document or group: its id, or COLLECTION/ID")
    .option("--stage <name>", "only at this stage")
    .option("--collection <name>", "the collection it is in, when there are several of that name")
    .option("--why <text>", "the reason: it stands in the dead letter")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway cancel archives/2024-05.mbox --why "the wrong file"
  headway failed requeue --document 2024-05.mbox      changed your mind`,
    )
    .action(async (id, options) => {
      const { stage, why, dryRun = false } = options;
      await withDesk(options, async ({ operator }) => {
        const found = await whichDocument(operator, id, options, "headway cancel");
        const given = { ...(stage !== undefined && { stage }), ...(why !== undefined && { why }), dryRun };
        const { stages } = await operator.cancel({ subject: found.subject }, given);
        const name = oneLine(nameOf(found));
        if (options.json) return console.writeJson({ document: name, stages, dryRun });
        if (stages.length === 0) return console.warn(`${name} owes nothing${stage ? ` at ${stage}` : ""}.\n`);
        console.write(`${dryRun ? "Would cancel" : "Cancelled"} ${name} at ${stages.join(", ")}.\n`);
        if (!dryRun) console.warn("It waits for a person now: headway failed list --code task.cancelled\n");
      });
    });
}
