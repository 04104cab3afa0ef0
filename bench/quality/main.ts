import { corporaAbsent } from "./corpora.ts";
import { countFigures } from "./counts.ts";
import { type Figure, plainTable, tableOf } from "./figures.ts";
import { humanSummaryFigures } from "./human-summaries.ts";
import { printManualFigures } from "./manuals.ts";
import { mimeFigures } from "./mime.ts";
import { positionFigures, quoteFigures, voteFigures } from "./outcomes.ts";
import { replyFigures } from "./replies.ts";
import { runLists } from "./run-lists.ts";
import { printStanceFigures } from "./stances/measure.ts";
import { treeFigures } from "./trees.ts";

const help = `npm run quality -- [--json] | --manuals | --stances [--json]

Runs the pipeline's own code over ../shared/corpora and prints each figure beside the known answer it is compared with.
`;

/** Prints the figures; exit code 1 if a figure is below its bar. */
async function main(options: readonly string[]): Promise<number> {
  if (options.includes("--help")) {
    process.stdout.write(help);
    return 0;
  }
  if (corporaAbsent) {
    process.stderr.write(
      "There are no corpora beside this clone (../shared/corpora): nothing to compare with.\n",
    );
    return 1;
  }
  if (options.includes("--manuals")) {
    await printManualFigures();
    return 0;
  }
  if (options.includes("--stances")) {
    await printStanceFigures(options.includes("--json"));
    return 0;
  }
  const say = (line: string) => process.stderr.write(`${line}\n`);
  say("every list through the whole pipeline …");
  const run = await runLists();
  say(`done in ${run.seconds.toFixed(0)} s; counts, trees, bodies, replies, summaries …`);
  const votes = voteFigures(run);
  const figures: readonly Figure[] = [
    ...(await countFigures(run)),
    ...(await treeFigures(run)),
    ...replyFigures(),
    ...(await mimeFigures()),
    ...(await humanSummaryFigures()),
    ...quoteFigures(run),
    ...votes.figures,
    ...positionFigures(run),
  ];
  const below = figures.filter(({ met }) => met === false);
  if (options.includes("--json")) process.stdout.write(`${JSON.stringify({ figures, votes: votes.rows })}\n`);
  else process.stdout.write(`${tableOf(figures)}\n\n${plainTable(votes.rows)}\n`);
  say(`${figures.length} figures, ${below.length} below their bar, in ${(performance.now() / 1_000) | 0} s`);
  return below.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
