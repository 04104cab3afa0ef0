import { createInterface } from "node:readline/promises";
import { Refusal } from "./exit-codes.ts";
import type { Console } from "./terminal.ts";

export interface Asking {
  readonly console: Console;
  /** Confirmed in advance. */
  readonly yes?: boolean | undefined;
  /** Source of answers; only a terminal is asked. */
  readonly input?: NodeJS.ReadStream;
}

/** Asks before a destructive act. Without a terminal the act is refused, unless confirmed in advance. */
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
