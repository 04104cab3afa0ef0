import { runChild } from "../child.ts";
import { contenders, onStand } from "../contenders.ts";
import type { Scale, Trial } from "../trial.ts";

/** Three stages writing a document each, built on every engine with as many of our guarantees as possible there. */
export const pipelineTrials = ({ documents, limitMs }: Scale): readonly Trial[] =>
  contenders.map((contender, index) => ({
    letter: "e",
    row: contender.label,
    reference: index === 0,
    run: () =>
      onStand(contender, async ({ program, order }) => {
        const count = contender.peer === "dbos" ? Math.ceil(documents / 5) : documents;
        const found = await runChild<{ documentsPerSecond: number }>(
          program,
          { ...order, act: "pipeline", count },
          limitMs,
        );
        return { documentsPerSecond: found.documentsPerSecond };
      }),
  }));
