import { withDesk } from "../desk.ts";
import type { Adding } from "../run.ts";
import { sharedFlags } from "../shared-options.ts";
import { showCount } from "../terminal.ts";

export function addPause({ program, console }: Adding): void {
  program
    .command("pause")
    .description("Pause stages: no new claims until resumed")
    .argument("<stages...>", "the stages to pause")
    .option("--why <text>", "the reason: everybody who asks is told")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway pause embedding --why "the model server is being moved"
  headway resume embedding

What is being worked on is finished. A pause holds for every worker, and over restarts; it costs no attempt.`,
    )
    .action(async (stages, options) => {
      const { why, dryRun = false } = options;
      await withDesk(options, async ({ operator }) => {
        for (const stage of stages.map(stageOf)) {
          const { changed, running } = await operator.pauseStage(stage, why, { dryRun });
          if (options.json) console.writeJson({ stage, paused: true, changed, running, dryRun });
          else if (!changed) console.write(`${stage} is paused already.\n`);
          else console.write(`${dryRun ? "Would pause" : "Paused"} ${stage}.\n`);
          if (!options.json && running > 0)
            console.warn(
              `${showCount(running, "document is", "documents are")} still being worked on there.\n`,
            );
        }
      });
      if (!options.json && !dryRun) console.warn(`Go on with: headway resume ${stages.join(" ")}\n`);
    });
}

export function addResume({ program, console }: Adding): void {
  program
    .command("resume")
    .description("Resume paused stages")
    .argument("<stages...>", "the stages to resume")
    .option("--why <text>", "the reason, for the audit")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway resume embedding --why "the model server is back"`)
    .action(async (stages, options) => {
      const { why, dryRun = false } = options;
      await withDesk(options, async ({ operator }) => {
        for (const stage of stages.map(stageOf)) {
          const { changed } = await operator.resumeStage(stage, why, { dryRun });
          if (options.json) console.writeJson({ stage, paused: false, changed, dryRun });
          else if (!changed) console.write(`${stage} is not paused.\n`);
          else console.write(`${dryRun ? "Would resume" : "Resumed"} ${stage}.\n`);
        }
      });
    });
}

/** The failed queue of a stage is named after the stage. */
const stageOf = (name: string): string => name.replace(/\.failed$/, "");
