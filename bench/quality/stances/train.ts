import { writeFileSync } from "node:fs";
import { blocks } from "../../../pipelines/consensus/src/weigh/reader/features.ts";
import { packWeights, stanceKinds } from "../../../pipelines/consensus/src/weigh/reader/weights.ts";
import { corporaAbsent } from "../corpora.ts";
import { examplesOf } from "./examples.ts";
import { bestThreshold, scoreOthers, sureThreshold } from "./folds.ts";
import { readLabelledThreads } from "./labelled-mail.ts";
import { heldBack } from "./labels.ts";
import { prepare, train } from "./logistic.ts";

const file = new URL("../../../pipelines/consensus/weights/stances.bin", import.meta.url);
const precisionAsked = 0.85;

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
  const allowed = new Set(blocks);
  const others = scoreOthers(examples, allowed);
  const model = train(examples, allowed);
  const rows = [...model.rows.keys()];
  const bytes = packWeights({
    keys: rows,
    idf: model.idf,
    weights: rows.map((_, row) =>
      stanceKinds.map((_kind, at) => model.weights[row * stanceKinds.length + at]!),
    ),
    bias: [...model.bias],
    threshold: others.map(bestThreshold),
    sure: others.map((scored) => sureThreshold(scored, precisionAsked)),
  });
  writeFileSync(file, bytes);
  process.stdout.write(`${examples.length} messages, ${rows.length} features, ${bytes.byteLength} bytes\n`);
  return 0;
}

process.exitCode = await main();
