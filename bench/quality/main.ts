import { readFileSync } from "node:fs";
import { corporaAbsent } from "./corpora.ts";
import { countFigures } from "./counts.ts";
import { compareOutcomes, tellChanges } from "./diff/compare.ts";
import { outcomesOf, type ThreadOutcome } from "./diff/outcomes.ts";
import { type Figure, plainTable, tableOf } from "./figures.ts";
import { humanSummaryFigures } from "./human-summaries.ts";
import { printManualFigures } from "./manuals.ts";
import { mimeFigures } from "./mime.ts";
import { positionFigures, quoteFigures, voteFigures } from "./outcomes.ts";
import { replyFigures } from "./replies.ts";
import { runLists } from "./run-lists.ts";
import { printStanceFigures } from "./stances/measure.ts";
import { treeFigures } from "./trees.ts";

const help = `npm run quality -- [--json] | --manuals | --stances [--json] | --outcomes | --diff FILE

Runs the pipeline's own code over ../shared/corpora and prints each figure beside the known answer it is compared with.

  npm run -s quality -- --outcomes > /tmp/before.json   in the tree to compare with
  npm run -s quality -- --diff /tmp/before.json         in the tree with the change: which threads changed, and how
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
  if (options.includes("--outcomes")) {
    process.stdout.write(`${JSON.stringify(await outcomesOf())}\n`);
    return 0;
  }
  const compared = options.indexOf("--diff");
  if (compared >= 0) return await printDiff(options[compared + 1]);
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

async function printDiff(file: string | undefined): Promise<number> {
  if (file === undefined) {
    process.stderr.write("Name a file made by: npm run -s quality -- --outcomes > FILE\n");
    return 1;
  }
  const before = JSON.parse(readFileSync(file, "utf8")) as readonly ThreadOutcome[];
  const after = await outcomesOf();
  process.stdout.write(`${tellChanges(compareOutcomes(before, after), after.length)}\n`);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
