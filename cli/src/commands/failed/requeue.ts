import { withDesk } from "../../desk.ts";
import type { AddingFailed } from "./failed.ts";
import { rampUp } from "./ramp.ts";
import { addActing, chosenFilter, limitOf, showLetters } from "./select.ts";

export function addRequeue({ group, console, end }: AddingFailed): void {
  const command = group
    .command("requeue")
    .description("Send dead letters back to their stages, with a fresh start");
  addActing(command)
    .option("--ramp", "carefully: 1, then 2, 5, 20 …; stops by itself when the same fault comes back")
    .option("--wait <duration>", "with --ramp: how long to wait for a step at most", "10m")
    .addHelpText(
      "after",
      `
Examples:
  headway failed requeue parsing --code mail.unreadable --dry-run
  headway failed requeue parsing --code mail.unreadable --ramp --why "parser 2.1"
  headway failed requeue 17 18 19

Each one goes back to its own stage, once: interrupted or run twice, nothing is lost and nothing doubled. A ramp that was
interrupted goes on when the same command is run again; one that has stopped starts over with one.
Exit codes: 0 sent, 1 a ramp could not go on, 3 a ramp stopped because the same fault came back.`,
    )
    .action(async (which, options) => {
      const filter = chosenFilter(which, options, "requeue");
      const limit = limitOf(options);
      const acting = {
        ...(limit !== undefined && { limit }),
        ...(options.why !== undefined && { why: options.why }),
      };
      await withDesk(options, async ({ operator }) => {
        if (options.ramp) {
          const { json, wait, dryRun = false } = options;
          return end(await rampUp({ operator, filter, console, json, wait, dryRun, ...acting }));
        }
        const result = await operator.requeueDead(filter, { ...acting, dryRun: options.dryRun === true });
        if (options.json) return console.writeJson(result);
        const { requeued, stages, skipped, dryRun } = result;
        if (requeued + skipped === 0) return console.warn("No dead letter fits.\n");
        console.write(`${dryRun ? "Would requeue" : "Requeued"} ${showLetters(requeued, stages)}.\n`);
        if (skipped > 0) console.warn(`${skipped} were owed already.\n`);
        if (!dryRun) console.warn("See what becomes of them with: headway status --watch\n");
      });
    });
}
