import { withDesk } from "../../desk.ts";
import { Refusal } from "../../exit-codes.ts";
import { showCount } from "../../terminal.ts";
import type { AddingFailed } from "./failed.ts";
import { addActing, chosenFilter, limitOf, showLetters } from "./select.ts";

export function addReset({ group, console }: AddingFailed): void {
  const command = group
    .command("reset")
    .description(
      "Set attempts to 0 and pending: documents past their limit, and with --waiting those on their way there",
    );
  addActing(command)
    .option(
      "--waiting",
      "also what waits at this stage for another try: its attempts are forgotten, it is due now",
    )
    .addHelpText(
      "after",
      `
Examples:
  headway failed reset parsing
  headway failed reset parsing --waiting --why "the parser is fixed"

What a worker holds at this moment is left alone and said so.`,
    )
    .action(async (which, options) => {
      const filter = chosenFilter(which, options, "reset");
      const { stage } = filter;
      if (options.waiting && stage === undefined)
        throw new Refusal("--waiting needs a stage: headway failed reset STAGE --waiting", 2);
      const limit = limitOf(options);
      const dryRun = options.dryRun === true;
      const acting = { dryRun, ...(options.why !== undefined && { why: options.why }) };
      const result = await withDesk(options, async ({ operator }) => ({
        dead: await operator.resetDead(filter, { ...acting, ...(limit !== undefined && { limit }) }),
        waiting: options.waiting && stage !== undefined ? await operator.resetTasks({ stage }, acting) : null,
      }));
      const { dead, waiting } = result;
      if (options.json) {
        const counts = { reset: dead.requeued, stages: dead.stages, skipped: dead.skipped };
        return console.writeJson({
          ...counts,
          waiting: waiting?.reset ?? 0,
          busy: waiting?.busy ?? 0,
          dryRun,
        });
      }
      if (dead.requeued + (waiting?.reset ?? 0) === 0) return console.warn("Nothing fits.\n");
      const parts = [
        showLetters(dead.requeued, dead.stages),
        ...(waiting ? [`${showCount(waiting.reset, "waiting task")}`] : []),
      ];
      console.write(`${dryRun ? "Would reset" : "Reset"} ${parts.join(" and ")}.\n`);
      if (waiting && waiting.busy > 0)
        console.warn(`${showCount(waiting.busy, "task is", "tasks are")} being worked on and left alone.\n`);
    });
}
