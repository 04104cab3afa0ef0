import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { drawChart, panelsOf } from "./draw-chart.ts";
import { readResults, resultsFolder } from "./results.ts";

// Draws bench/results/history.svg from all runs kept beside the file.
const results = readResults();
if (results.length === 0) {
  process.stderr.write("There are no results yet: npm run bench makes one.\n");
  process.exitCode = 1;
} else {
  const file = join(resultsFolder, "history.svg");
  writeFileSync(file, drawChart(panelsOf(results)));
  process.stdout.write(`${relative(process.cwd(), file)} shows ${results.length} runs.\n`);
}
