import type { Engine } from "@headway/engine";
import { outlast } from "@headway/engine/internal";
import { type Console, oneLine } from "./terminal.ts";

/** Runs a repeatable step, and again while the database is away. */
export type Outlast = <T>(step: () => Promise<T>) => Promise<T>;

/** Repeats steps of a command during an outage of the database, and says so once, for all steps of the command. */
export function outlasting(console: Pick<Console, "warn">, signal: AbortSignal): Outlast {
  let away = false;
  return (step) =>
    outlast(step, {
      signal,
      onAway(error) {
        if (!away) console.warn(`${awayText(error)}\n`);
        away = true;
      },
      onBack() {
        if (away) console.warn("The database is back.\n");
        away = false;
      },
    });
}

/** Says once when results cannot be written, as on a full disk, and once when work goes on; ends by the returned function. */
export function tellFailedCommits(
  engine: Pick<Engine, "onSignal">,
  console: Pick<Console, "warn">,
): () => void {
  let failing = false;
  return engine.onSignal((heard) => {
    if (heard.kind === "commit.failed" && !failing) {
      failing = true;
      console.warn(`Results cannot be written: ${unwrittenText(heard.fault)} ${safeText}\n`);
    } else if (heard.kind === "task.done" && failing) {
      failing = false;
      console.warn("Results are written again.\n");
    }
  });
}

const unwrittenText = ({ code, message }: { readonly code: string; readonly message: string }): string =>
  /disk[._]full|53100/.test(code)
    ? "the disk is full. Make room, and it goes on."
    : `${oneLine(message)}; tried until it works.`;

const safeText = "What was accepted is safe; Ctrl-C is safe, too.";

function awayText(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === "53100") return `The disk of the database is full: make room, and it goes on. ${safeText}`;
  return `The database is away (${oneLine(String(message))}); waiting for it. ${safeText}`;
}
