import { insertAct } from "@headway/engine/internal";
import { listSources, openVault, pauseSource, readSecret, removeSource, resealSecret } from "@headway/intake";
import { confirm } from "../../confirm.ts";
import { actorName } from "../../desk.ts";
import { Refusal } from "../../exit-codes.ts";
import type { Adding } from "../../run.ts";
import { placeOf, sharedFlags } from "../../shared-options.ts";
import { showCount } from "../../terminal.ts";
import { mustRead, withSources } from "./open.ts";

/** `pause`, `resume`, `remove` and `rotate-key`. */
export function addSteer(adding: Adding): void {
  for (const verb of ["pause", "resume"] as const) addPausing(adding, verb);
  addRemove(adding);
  addRotate(adding);
}

function addPausing({ program, console }: Adding, verb: "pause" | "resume"): void {
  const pausing = verb === "pause";
  program
    .command(verb)
    .description(pausing ? "Stop reading a source until it is resumed" : "Go on with a paused source")
    .argument("<name>", "the source")
    .option("--why <reason>", "kept in the audit, and shown")
    .option("--dry-run", "only say what would change")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway sources ${verb} inbox${pausing ? ' --why "mailbox moves"' : ""}`,
    )
    .action(async (name, options) => {
      const changed = await withSources(options, async ({ database, now }) => {
        const { paused_at: since } = await mustRead(database, name);
        if (options.dryRun) return (since === null) === pausing;
        const [by, why] = [actorName(), options.why ?? null];
        return await database.transaction(async (tx) => {
          const news = await pauseSource(tx, name, pausing ? { at: now, by, why } : null);
          if (news)
            await insertAct(tx, { at: now, actor: by, act: `source.${verb}`, target: name, why, detail: {} });
          return news;
        });
      });
      if (options.json) return console.writeJson({ name, changed, dryRun: options.dryRun === true });
      const state = pausing ? "paused" : "not paused";
      const verbWords = options.dryRun ? `Would ${verb}` : pausing ? "Paused" : "Resumed";
      console.write(changed ? `${verbWords} ${name}.\n` : `${name} is ${state} already.\n`);
    });
}

function addRemove({ program, console }: Adding): void {
  program
    .command("remove")
    .description("Forget a source; documents that it brought stay")
    .argument("<name>", "the source")
    .option("--yes", "do not ask")
    .option("--dry-run", "only say what would be removed")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway sources remove inbox --yes`)
    .action(async (name, options) => {
      await withSources(options, async ({ database, now }) => {
        const { origin, spec } = await mustRead(database, name);
        if (origin === "config")
          throw new Refusal(`The source "${name}" is declared in headway.config.ts: remove it there.`);
        if (options.dryRun) return;
        await confirm(`Forget the source ${name}, with its secret and how far it was read?`, {
          console,
          yes: options.yes,
        });
        await database.transaction(async (tx) => {
          await removeSource(tx, name);
          const detail = { place: spec.place };
          await insertAct(tx, {
            at: now,
            actor: actorName(),
            act: "source.remove",
            target: name,
            why: null,
            detail,
          });
        });
      });
      if (options.json)
        return console.writeJson({ name, removed: !options.dryRun, dryRun: options.dryRun === true });
      console.write(options.dryRun ? `Would remove ${name}.\n` : `Removed ${name}; its documents stay.\n`);
    });
}

function addRotate({ program, console }: Adding): void {
  program
    .command("rotate-key")
    .description("Encrypt all secrets with the first key of HEADWAY_SECRET_KEY")
    .option("--dry-run", "only count the secrets of older keys")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  HEADWAY_SECRET_KEY="$NEW $OLD" headway sources rotate-key --dry-run\n  HEADWAY_SECRET_KEY="$NEW $OLD" headway sources rotate-key`,
    )
    .action(async (options) => {
      const rotated = await withSources(options, async ({ database, now }) => {
        const vault = await openVault({ env: process.env, data: placeOf(options).data });
        const names: string[] = [];
        for (const { name } of await listSources(database)) {
          const sealed = (await readSecret(database, name))?.secret;
          if (!sealed || vault.isCurrent(sealed)) continue;
          names.push(name);
          const after = vault.seal(name, vault.open(name, sealed));
          if (!options.dryRun) await resealSecret(database, name, { before: sealed, after });
        }
        if (!options.dryRun && names.length > 0) {
          const detail = { sources: names };
          await insertAct(database, {
            at: now,
            actor: actorName(),
            act: "source.rotate-key",
            target: "sources",
            why: null,
            detail,
          });
        }
        return names;
      });
      if (options.json) return console.writeJson({ rotated, dryRun: options.dryRun === true });
      console.write(
        `${showCount(rotated.length, "secret")} ${options.dryRun ? "of older keys" : "encrypted anew"}.\n`,
      );
    });
}
