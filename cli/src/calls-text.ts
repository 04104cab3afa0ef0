import type { Calls } from "@headway/engine/operate";
import { showSpan } from "./show-time.ts";
import { showCount, showNumber } from "./terminal.ts";

/** Calls to services in words: `embedder: 3 calls in 420ms, 1,800 tokens`. */
export const callsText = (calls: Calls): string =>
  Object.entries(calls)
    .map(([name, { count, ms, tokens }]) => {
      const used = tokens === undefined ? "" : `, ${showNumber(tokens)} tokens`;
      return `${name}: ${showCount(count, "call")} in ${showSpan(ms)}${used}`;
    })
    .join("; ");
