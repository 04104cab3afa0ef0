import { setTimeout as pause } from "node:timers/promises";
import {
  askForReport,
  type DeliveryLine,
  editionState,
  readDeliveries,
  sendReport,
  testReport,
} from "@headway/consensus";
import type { Database } from "@headway/engine";
import { insertAct } from "@headway/engine/internal";
import { openVault } from "@headway/intake";
import { withApp } from "../../compose.ts";
import { actorName } from "../../desk.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { Adding } from "../../run.ts";
import { placeOf, sharedFlags } from "../../shared-options.ts";
import { oneLine } from "../../terminal.ts";
import { interruptible } from "../ingest.ts";
import { mustReadSubscription, refuseWithoutReports, withSubscriptions } from "./open.ts";

/** `run` and `test`. */
export function addRunSubscription(adding: Adding): void {
  addRun(adding);
  addTest(adding);
}

function addRun({ program, console, end }: Adding): void {
  program
    .command("run")
    .description("Make and send the next report now, also without news, and wait for it")
    .argument("<name>", "the subscription; a paused one runs once")
    .option("--no-wait", 'only make it due: a running "headway up" or "headway work" does it')
    .option("--dry-run", "only say what would be sent")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway subscriptions run quic-weekly\n\nExit codes: 0 sent, 1 refused, 3 a recipient did not take it; sending is retried, or a dead letter.`,
    )
    .action(async (name, options) => {
      refuseWithoutReports();
      const work = options.wait && !options.dryRun;
      const sent = await interruptible((signal) =>
        withApp(options, { work }, async ({ engine: { database } }) => {
          const { edition, spec } = await mustReadSubscription(database, name);
          if (options.dryRun) {
            console.write(
              `Would send report ${edition + 1} to ${spec.targets.map(({ to }) => to).join(", ")}.\n`,
            );
            return null;
          }
          const now = new Date();
          await database.transaction(async (tx) => {
            await askForReport(tx, name, now);
            const act = {
              act: "subscription.run",
              target: name,
              why: null,
              detail: { edition: edition + 1 },
            };
            await insertAct(tx, { at: now, actor: actorName(), ...act });
          });
          return options.wait ? await waitForReport(database, { name, edition: edition + 1, signal }) : null;
        }),
      );
      if (sent === null) {
        if (!options.dryRun) console.warn(`It is due: see "headway subscriptions show ${name}".\n`);
        return;
      }
      if (options.json) console.writeJson({ name, deliveries: sent });
      else tell(sent, console.write);
      if (sent.some(({ state }) => state !== "done")) end(exitCodes.deadLetters);
    });
}

const lookMs = 200;

/** The deliveries of a report, when each is sent, dead, or waits for another attempt. */
async function waitForReport(
  database: Database,
  {
    name,
    edition,
    signal,
  }: { readonly name: string; readonly edition: number; readonly signal: AbortSignal },
): Promise<DeliveryLine[]> {
  for (;;) {
    const state = await editionState(database, name, edition);
    const mine = (await readDeliveries(database, name)).filter(
      ({ report }) => report === `${name}/${edition}` || report.startsWith(`${name}/${edition}/`),
    );
    const isOver = mine.every((one) => one.state !== "waiting" || one.fault !== null);
    if (state === "dead" || (state === "done" && isOver)) return mine;
    await pause(lookMs, undefined, { signal });
  }
}

function tell(sent: readonly DeliveryLine[], write: (text: string) => void): void {
  if (sent.length === 0) write("There is nothing to report.\n");
  for (const { kind, to, state, fault, subject } of sent)
    write(`${kind} ${to}: ${state === "done" ? oneLine(subject) : `${state}: ${oneLine(fault ?? "")}`}\n`);
}

function addTest({ program, console, end }: Adding): void {
  program
    .command("test")
    .description("Send a test report to every recipient at once; nothing is recorded as a report")
    .argument("<name>", "the subscription")
    .option("--dry-run", "only list the recipients")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway subscriptions test quic-weekly`)
    .action(async (name, options) => {
      const results = await withSubscriptions(options, async ({ database, now }) => {
        const row = await mustReadSubscription(database, name);
        const vault = () => openVault({ env: process.env, data: placeOf(options).data });
        const parts = { database, env: process.env, vault, now: () => now };
        const found: { kind: string; to: string; problem: string | null }[] = [];
        for (const target of row.spec.targets) {
          const sending = { target, signal: new AbortController().signal };
          const problem = options.dryRun
            ? null
            : await sendReport(parts, row, testReport(name, now), sending).then(
                () => null,
                (error: Error) => error.message,
              );
          found.push({ ...target, problem });
        }
        if (!options.dryRun) {
          const detail = { failed: found.filter(({ problem }) => problem !== null).length };
          const act = { act: "subscription.test", target: name, why: null, detail };
          await insertAct(database, { at: now, actor: actorName(), ...act });
        }
        return found;
      });
      if (options.json) console.writeJson({ name, recipients: results, dryRun: options.dryRun === true });
      else
        for (const { kind, to, problem } of results)
          console.write(`${kind} ${to}: ${options.dryRun ? "would be sent" : oneLine(problem ?? "sent")}\n`);
      if (results.some(({ problem }) => problem !== null)) end(exitCodes.deadLetters);
    });
}
