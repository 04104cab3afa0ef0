import { DefinitionError } from "./definition-error.ts";

/**
 * A stage's expectation of its results. `{ outputs: "some" }`: at least one document. A function of the input and of the yielded
 * documents returns a sentence about an unexpected result, or nothing; a result too long for one commit has outputs and is
 * not handed to it. An unexpected result is stored all the same, as a finding for people: `explain`, `status`, an alert.
 */
export type Expects<Input, Output> =
  | { readonly outputs: "some" }
  | ((input: Input, outputs: readonly Output[]) => string | null | undefined);

/** Refuses an expectation that no result could meet. */
export function checkExpects(name: string, expects: unknown, writes: readonly unknown[]): void {
  if (expects === undefined || typeof expects === "function") return;
  if ((expects as { outputs?: unknown } | null)?.outputs !== "some")
    throw new DefinitionError(
      `Stage "${name}" expects ${JSON.stringify(expects)}; give { outputs: "some" } or a function of input and outputs.`,
    );
  if (writes.length === 0)
    throw new DefinitionError(`Stage "${name}" expects outputs and writes no collection.`);
}
