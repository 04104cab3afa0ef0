import type { Command } from "@commander-js/extra-typings";
import type { Adding, End } from "../../run.ts";
import type { Console } from "../../terminal.ts";
import { addPurge, addResolve } from "./close.ts";
import { addFailedExport } from "./export.ts";
import { addGroups } from "./groups.ts";
import { addFailedImport } from "./import.ts";
import { addInspect } from "./inspect.ts";
import { addList } from "./list.ts";
import { addRequeue } from "./requeue.ts";
import { addReset } from "./reset.ts";

/** Context for adding a command about dead letters. */
export interface AddingFailed {
  readonly group: Command;
  readonly console: Console;
  readonly end: End;
}

export function addFailed({ program, console, end }: Adding): void {
  const group = program
    .command("failed")
    .description("List, inspect, requeue and purge dead letters")
    .addHelpText(
      "after",
      `
Examples:
  headway failed groups                             what they died of, and how many of each
  headway failed list parsing                       those of one stage; parsing.failed means the same
  headway failed inspect 17                         one of them: its input, every fault, what to type next
  headway failed requeue parsing --code mail.unreadable --ramp
  headway failed export parsing > parsing.ndjson    to keep them, or to look at them elsewhere
  headway failed list --quarantine                  what came from the broker and is no event

A dead letter is a document at a stage that has given up on it. Its document is safe; only the stage is not done.
Looking changes nothing. What changes something can be tried with --dry-run, and stands in the audit.`,
    );
  const given = { group, console, end };
  addList(given);
  addGroups(given);
  addInspect(given);
  addFailedExport(given);
  addFailedImport(given);
  addRequeue(given);
  addReset(given);
  addResolve(given);
  addPurge(given);
}
