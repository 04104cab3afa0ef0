import { pauseSubscription, removeSubscription } from "@headway/consensus";
import { insertAct } from "@headway/engine/internal";
import { confirm } from "../../confirm.ts";
import { actorName } from "../../desk.ts";
import type { Adding } from "../../run.ts";
import { sharedFlags } from "../../shared-options.ts";
import { mustReadSubscription, withSubscriptions } from "./open.ts";

/** `pause`, `resume` and `remove`. */
export function addSteerSubscription(adding: Adding): void {
  for (const verb of ["pause", "resume"] as const) addPausing(adding, verb);
  addRemove(adding);
}

function addPausing({ program, console }: Adding, verb: "pause" | "resume"): void {
  const pausing = verb === "pause";
  program
    .command(verb)
    .description(pausing ? "Send no report until it is resumed" : "Go on with a paused subscription")
    .argument("<name>", "the subscription")
    .option("--why <reason>", "kept in the audit, and shown")
    .option("--dry-run", "only say what would change")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway subscriptions ${verb} quic-weekly`)
    .action(async (name, options) => {
      const changed = await withSubscriptions(options, async ({ database, now }) => {
        const { paused_at: since } = await mustReadSubscription(database, name);
        if (options.dryRun) return (since === null) === pausing;
        const [by, why] = [actorName(), options.why ?? null];
        return await database.transaction(async (tx) => {
          const news = await pauseSubscription(tx, name, pausing ? { at: now, by, why } : null);
          const act = `subscription.${verb}`;
          if (news) await insertAct(tx, { at: now, actor: by, act, target: name, why, detail: {} });
          return news;
        });
      });
      if (options.json) return console.writeJson({ name, changed, dryRun: options.dryRun === true });
      const verbWords = options.dryRun ? `Would ${verb}` : pausing ? "Paused" : "Resumed";
      const state = pausing ? "paused" : "not paused";
      console.write(changed ? `${verbWords} ${name}.\n` : `${name} is ${state} already.\n`);
    });
}

function addRemove({ program, console }: Adding): void {
  program
    .command("remove")
    .description("Forget a subscription; reports that it made stay as documents")
    .argument("<name>", "the subscription")
    .option("--yes", "do not ask")
    .option("--dry-run", "only say what would be removed")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway subscriptions remove quic-weekly --yes`)
    .action(async (name, options) => {
      const dryRun = options.dryRun === true;
      await withSubscriptions(options, async ({ database, now }) => {
        await mustReadSubscription(database, name);
        if (dryRun) return;
        await confirm(`Forget the subscription ${name}, with its secret and what it told?`, {
          console,
          yes: options.yes,
        });
        await database.transaction(async (tx) => {
          await removeSubscription(tx, name);
          const act = { act: "subscription.remove", target: name, why: null, detail: {} };
          await insertAct(tx, { at: now, actor: actorName(), ...act });
        });
      });
      if (options.json) return console.writeJson({ name, removed: !dryRun, dryRun });
      console.write(dryRun ? `Would remove ${name}.\n` : `Removed ${name}; its reports stay.\n`);
    });
}
