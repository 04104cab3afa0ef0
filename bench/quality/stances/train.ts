import { writeFileSync } from "node:fs";
import { corporaAbsent } from "../corpora.ts";
import { examplesOf } from "./examples.ts";
import { readLabelledThreads } from "./labelled-mail.ts";
import { heldBack } from "./labels.ts";
import { prepare } from "./logistic.ts";
import { makeWeights } from "./make-weights.ts";

const file = new URL("../../../pipelines/consensus/weights/stances.bin", import.meta.url);

/** Trains the reader of stances on every list but those held back, and writes its weights. */
async function main(): Promise<number> {
  if (corporaAbsent) {
    process.stderr.write(
      "There are no corpora beside this clone (../shared/corpora): nothing to train on.\n",
    );
    return 1;
  }
  const threads = await readLabelledThreads((list) => !heldBack.includes(list));
  const examples = prepare(examplesOf(threads));
  const { bytes, thresholds } = makeWeights(examples);
  writeFileSync(file, bytes);
  process.stdout.write(`${examples.length} messages, ${bytes.byteLength} bytes\n${thresholds.join("\n")}\n`);
  return 0;
}

process.exitCode = await main();
