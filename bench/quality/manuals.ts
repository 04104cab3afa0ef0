import { printEntryFigures } from "./manuals/entries.ts";
import { layoutFigures, layoutSums } from "./manuals/layouts.ts";
import { printOrderFigures } from "./manuals/order.ts";
import { printQuestionFigures } from "./manuals/questions.ts";
import { doclingFigures, tabulaFigures } from "./manuals/tables.ts";

async function printTableFigures(): Promise<void> {
  for (const { name, cells, recall, relations } of [
    ...(await tabulaFigures()),
    ...(await doclingFigures()),
  ].filter((figure) => figure.cells > 0))
    process.stdout.write(
      `table ${name.slice(0, 34).padEnd(36)} cells ${String(cells).padStart(4)}  recall ${recall.toFixed(3)}  relations ${relations.toFixed(3)}\n`,
    );
}

/** Prints words in order and as a bag against the ground truth, and entries beside labels. */
export async function printManualFigures(): Promise<void> {
  await printOrderFigures();
  await printTableFigures();
  await printEntryFigures();
  await printQuestionFigures();
  const layouts = await layoutFigures();
  for (const words of ["fitted", "fresh"] as const) {
    const { codes, found, right, invented } = layoutSums(layouts, words);
    process.stdout.write(
      `layouts, ${words} words: ${found} of ${codes} codes, ${right} with all their cells, ${invented} invented\n`,
    );
  }
}
