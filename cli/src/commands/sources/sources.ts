import type { Adding } from "../../run.ts";
import { addAdd } from "./add.ts";
import { addLook } from "./look.ts";
import { addRun } from "./run.ts";
import { addSteer } from "./steer.ts";

export function addSources({ program, console, end }: Adding): void {
  const sources = program
    .command("sources")
    .description("Read folders, web archives and mailboxes on a schedule")
    .addHelpText(
      "after",
      `
Examples:
  headway sources add quic https://lists.example.org/pipermail/quic/ --every 1h
  headway sources add inbox imaps://ann@mail.example.org/Lists --every 15m --secret-file password.txt
  headway sources                         how each source is, and when it runs next
  headway sources show inbox              its runs: what each brought, and what failed
  headway sources run inbox               now, and wait for it

A run is a task like any other: retried by policy, waiting while its host is down, a dead letter in the end, explained by
"headway explain source_runs/NAME/N". "headway up" and "headway work" keep the schedule.`,
    );
  const given = { program: sources, console, end };
  addLook(given);
  addAdd(given);
  addRun(given);
  addSteer(given);
}
