import { createInterface } from "node:readline/promises";
import { Refusal } from "./exit-codes.ts";
import type { Console } from "./terminal.ts";

export interface Asking {
  readonly console: Console;
  /** The person has said so beforehand. */
  readonly yes?: boolean | undefined;
  /** Where answers come from; only a person at a terminal is asked. */
  readonly input?: NodeJS.ReadStream;
}

/** Asks before something is destroyed. Where nobody can be asked it is refused, unless it was said beforehand. */
export async function confirm(
  question: string,
  { console, yes, input = process.stdin }: Asking,
): Promise<void> {
  if (yes) return;
  if (input.isTTY !== true)
    throw new Refusal(
      `${question} Nothing was done: add --yes to do it, or --dry-run to see what it would do.`,
    );
  console.warn(`${question} [y/N] `);
  const lines = createInterface({ input });
  try {
    const answer = await lines.question("");
    if (!/^y(es)?$/i.test(answer.trim())) throw new Refusal("Nothing was done.");
  } finally {
    lines.close();
  }
}
