import type { Stage, Yields } from "../define/stage.ts";

/** Runs an isolated stage in this process, with the file it is lent: for drills and tests. */
export function runHere(stage: Stage, input: unknown, context: object): Yields<unknown> {
  return stage.isolate?.lend ? runLent(stage, input, context) : stage.run(input, context);
}

async function* runLent(stage: Stage, input: unknown, context: object): AsyncGenerator<unknown> {
  const value = await stage.isolate?.lend?.(input, context);
  yield* stage.run(input, Object.create(context, { lent: { value } }));
}
