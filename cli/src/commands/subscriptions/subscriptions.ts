import type { Adding } from "../../run.ts";
import { addAddSubscription } from "./add.ts";
import { addLookSubscriptions } from "./look.ts";
import { addRunSubscription } from "./send.ts";
import { addSteerSubscription } from "./steer.ts";

/** `headway subscriptions`: reports to subscribers, on a schedule. */
export function addSubscriptions({ program, console, end }: Adding): void {
  const group = program
    .command("subscriptions")
    .description("Send reports: by mail, webhook or Slack, or as feeds")
    .addHelpText(
      "after",
      `
Examples:
  headway subscriptions add quic-weekly --list quic --weekly --mail ann@example.org
  headway subscriptions
  headway subscriptions show quic-weekly
  headway subscriptions run quic-weekly

Each report tells the changes since the last report. Reports are made by the stage "reporting" and sent by "delivering", as tasks:
retried, dead letters in the end, and explained. "headway up" and "headway work" keep the times.`,
    );
  const adding = { program: group, console, end } as unknown as Adding;
  addAddSubscription(adding);
  addLookSubscriptions(adding);
  addSteerSubscription(adding);
  addRunSubscription(adding);
}
