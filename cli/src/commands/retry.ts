import { type Duration, durationMs } from "@headway/engine";
import { withDesk } from "../desk.ts";
import { Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { parseDate, parsePriority, sharedFlags } from "../shared-options.ts";
import { showMoment } from "../show-time.ts";
import { oneLine } from "../terminal.ts";
import { nameOf, whichDocument } from "../which-document.ts";

export function addRetry({ program, console }: Adding): void {
  program
    .command("retry")
    .description("Try a document again now, or at a given time")
    .argument("<id>", "a document or group: its id, or COLLECTION/ID")
    .option("--at <time>", "not before: 2026-01-31T18:00Z, or in a while: 30m, 2h")
    .option("--priority <number>", "larger goes first, from -1000 to 1000; its outputs inherit it")
    .option("--stage <name>", "only at this stage")
    .option("--collection <name>", "the collection it is in, when there are several of that name")
    .option("--why <text>", "the reason, for the audit")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway retry archives/2024-05.mbox
  headway retry archives/2024-05.mbox --stage parsing --at 2h
  headway retry archives/2024-05.mbox --priority 100

What a worker holds at this moment is left alone. What is done is made anew with "headway reprocess".`,
    )
    .action(async (id, options) => {
      const { stage, why, dryRun = false } = options;
      await withDesk(options, async ({ operator }) => {
        const found = await whichDocument(operator, id, options, "headway retry");
        const at = options.at === undefined ? undefined : parseAt(options.at, operator.now());
        const given = {
          ...(stage !== undefined && { stage }),
          ...(at && { at }),
          ...(options.priority !== undefined && { priority: parsePriority(options.priority) }),
          ...(why !== undefined && { why }),
        };
        const { stages, busy } = await operator.retryNow({ subject: found.subject }, { ...given, dryRun });
        const name = oneLine(nameOf(found));
        if (options.json) return console.writeJson({ document: name, stages, busy, at: at ?? null, dryRun });
        const when = at ? `at ${showMoment(at)}` : "now";
        if (stages.length > 0)
          console.write(
            `${name} ${dryRun ? "would be" : "is"} tried again ${when} at ${stages.join(", ")}.\n`,
          );
        if (busy.length > 0)
          console.warn(`It is being worked on at ${busy.join(", ")}; that was left alone.\n`);
        if (stages.length > 0 || busy.length > 0) return;
        throw new Refusal(
          `${name} neither waits nor is dead; make it anew with: headway reprocess --ids ${name}`,
        );
      });
    });
}

/** A future time: a moment, or a delay from now. */
function parseAt(text: string, now: Date): Date {
  if (/^\d+(\.\d+)?(ms|s|m|h|d)$/.test(text)) return new Date(now.getTime() + durationMs(text as Duration));
  try {
    return parseDate(text, "--at");
  } catch {
    throw new Refusal(
      `--at is "${text}"; expected a time such as 2026-01-31T18:00Z, or how long from now: 30m.`,
      2,
    );
  }
}
