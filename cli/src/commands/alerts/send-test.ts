import { randomUUID } from "node:crypto";
import type { Command } from "@commander-js/extra-typings";
import { openChannels, plainNotice } from "@headway/engine/internal";
import { exitCodes, Refusal } from "../../exit-codes.ts";
import type { End } from "../../run.ts";
import { sharedFlags } from "../../shared-options.ts";
import type { Console } from "../../terminal.ts";

export function addTest(group: Command, console: Console, end: End): void {
  group
    .command("test")
    .description("Send a marked test to every channel that is set up in this environment")
    .argument("[channel]", "only to this one")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway alerts test\n  headway alerts test mail`)
    .action(async (only, options) => {
      const channels = openChannels(process.env).filter(({ name }) => only === undefined || name === only);
      if (channels.length === 0)
        throw new Refusal(
          `${only === undefined ? "No channel" : `The channel "${only}"`} is set up here: set HEADWAY_ALERT_MAIL_TO and HEADWAY_SMTP_URL, HEADWAY_ALERT_WEBHOOK_URL or another variable in the list of "headway config".`,
        );
      const now = new Date();
      const notice = plainNotice({
        id: `test-${randomUUID()}`,
        kind: "test",
        subject: "[test] Headway can reach you",
        text: "This is a test of an alert channel. Nothing has happened.\n",
        count: 0,
        now,
      });
      let fine = true;
      for (const channel of channels)
        for (const target of channel.targets) {
          const problem = await channel
            .send(notice, target, { now, signal: AbortSignal.timeout(10_000) })
            .then(
              () => null,
              (error: Error) => error.message,
            );
          fine &&= problem === null;
          if (options.json)
            console.writeJson({ channel: channel.name, target, sent: problem === null, problem });
          else if (problem === null) console.write(`${channel.name}: sent to ${target}\n`);
          else console.warn(`headway: ${channel.name}: not sent to ${target}: ${problem}\n`);
        }
      end(fine ? exitCodes.done : exitCodes.refused);
    });
}
