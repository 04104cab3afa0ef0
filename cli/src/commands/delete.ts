import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "@commander-js/extra-typings";
import type { Operator } from "@headway/engine/operate";
import { runsConsensus, runsManuals } from "../app/current-app.ts";
import { confirm } from "../confirm.ts";
import { type Desk, withDesk } from "../desk.ts";
import { Refusal } from "../exit-codes.ts";
import { openKeptBlobs } from "../kept-blobs.ts";
import { readBlobOwners } from "../needed-blobs.ts";
import type { Adding } from "../run.ts";
import { placeOf, type SharedOptions, sharedFlags } from "../shared-options.ts";
import { type Console, oneLine, showCount, showNumber } from "../terminal.ts";
import { nameOf, whichDocument } from "../which-document.ts";

export function addDelete({ program, console }: Adding): void {
  const group = program
    .command("delete")
    .description("Delete a source or a document, with its results")
    .addHelpText(
      "after",
      `
Examples:
  headway delete source quic.mbox --dry-run
  headway delete document archives/quic.mbox --why "asked for by its author"

From the moment it is done nobody sees them any more. Interrupted, it goes on when it is run again.`,
    );
  addSource(group, console);
  addDocument(group, console);
}

function addSource(group: Command, console: Console): void {
  group
    .command("source")
    .description("Delete what a source has brought in; what others bring in as well stays")
    .argument("<name>", "the source: headway sources origins")
    .option("--why <text>", "the reason, for the audit")
    .option("--yes", "do it without asking")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway delete source quic.mbox --dry-run\n  headway delete source quic.mbox --why "the wrong list"`,
    )
    .action(async (name, options) => {
      const { why, yes, json = false, dryRun = false } = options;
      const say = { console, json };
      await withDesk(options, async (desk) => {
        const { operator } = desk;
        const plan = await operator.deleteSource(name, { dryRun: true }).catch((error: Error) => {
          throw new Refusal(`${oneLine(error.message)} Those there are: headway sources origins`);
        });
        const left = await operator.leftToReap();
        if (dryRun) {
          if (json) return console.writeJson({ source: name, ...plan, left });
          return console.write(
            `Would delete ${planText(plan)}, and everything that came from ${plan.deleted === 1 ? "it" : "them"}.\n`,
          );
        }
        const all = plan.deleted + plan.kept;
        if (all > 0)
          await confirm(`Delete ${planText(plan)} of ${oneLine(name)}, and all that came from them?`, {
            console,
            yes,
          });
        const release = await rememberBlobs(desk, options);
        const result = await operator.deleteSource(name, {
          onProgress: ({ deleted, kept }) =>
            progress(say, `${showNumber(deleted + kept)} of ${showNumber(all)} left the source`),
          ...(why !== undefined && { why }),
        });
        const removed = await removeRest(operator, say);
        await release();
        if (json) return console.writeJson({ source: name, ...result, ...removed });
        console.write(`Deleted ${planText(result)}. ${removedText(removed)}\n`);
      });
    });
}

const planText = ({ deleted, kept }: { deleted: number; kept: number }): string =>
  `${showCount(deleted, "document")}${kept > 0 ? ` (${showNumber(kept)} more stay, others bring them in too)` : ""}`;

function addDocument(group: Command, console: Console): void {
  group
    .command("document")
    .description("Delete a document and everything that came from it")
    .argument("<id>", "COLLECTION/ID, or an id")
    .option("--collection <name>", "the collection it is in, when there are several of that name")
    .option("--why <text>", "the reason, for the audit")
    .option("--yes", "do it without asking")
    .option("--dry-run", "say what would be done, and change nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway delete document archives/quic.mbox --dry-run\n  headway delete document quic.mbox --collection archives --yes`,
    )
    .action(async (id, options) => {
      const { why, yes, json = false, dryRun = false } = options;
      const say = { console, json };
      await withDesk(options, async (desk) => {
        const { operator } = desk;
        const found = await whichDocument(operator, id, options, "headway delete document");
        const { collection } = found;
        const name = oneLine(nameOf(found));
        if (collection === null) throw new Refusal(`${name} is a group: it goes with its last document.`);
        const target = { collection, id: found.id };
        const plan = await operator.deleteDocument(target, { dryRun: true });
        const what = `${name} and ${showCount(plan.derived, "document")} that came from it`;
        if (dryRun) {
          if (json) return console.writeJson({ document: name, ...plan });
          return console.write(`Would delete ${what}.\n`);
        }
        if (plan.deleted) await confirm(`Delete ${what}?`, { console, yes });
        const release = await rememberBlobs(desk, options);
        const result = await operator.deleteDocument(target, why === undefined ? {} : { why });
        const removed = await removeRest(operator, say);
        await release();
        if (json) return console.writeJson({ document: name, ...result, ...removed });
        console.write(
          `${result.deleted ? `Deleted ${what}` : `${name} was deleted before`}. ${removedText(removed)}\n`,
        );
        if (result.yieldedBy.length > 0)
          console.warn(
            `It comes back when ${result.yieldedBy.join(", ")} is made anew, unless its origin goes too.\n`,
          );
      });
    });
}

/** Deletes blobs of deleted archives and manuals: candidates are read before the deletion, remaining references afterwards. */
async function rememberBlobs({ database }: Desk, options: SharedOptions): Promise<() => Promise<unknown>> {
  if (!runsConsensus() && !runsManuals()) return async () => undefined;
  const candidates = new Set((await readBlobOwners(database)).map(({ blob }) => blob));
  return async () => {
    const blobs = await openKeptBlobs(placeOf(options), database);
    for (const { blob } of await readBlobOwners(database)) candidates.delete(blob);
    for (const blob of candidates) await blobs.remove(blob);
  };
}

interface Saying {
  readonly console: Console;
  readonly json: boolean;
}

/** Progress for a terminal; a pipe gets the result only. */
function progress({ console, json }: Saying, text: string): void {
  if (!json && console.live) console.warn(`\r\u001b[K${text}`);
}

interface Removed {
  /** Null: removed by a worker, which does not report the number. */
  readonly removed: number | null;
  /** Marked as gone, and still to be removed by a worker. */
  readonly left: number;
  /** Groups with a changed membership, waiting for a worker. */
  readonly groupsOwed: number;
}

/**
 * Frees the space of documents already invisible. A running worker does so by itself and is awaited; otherwise done
 * here.
 */
async function removeRest(operator: Operator, say: Saying): Promise<Removed> {
  const alive = (await operator.workers()).some((one) => one.alive);
  try {
    const onProgress = (sofar: { removed: number; left: number }) =>
      progress(say, `${showNumber(sofar.removed)} removed, ${showNumber(sofar.left)} to go`);
    const removed = alive ? null : (await operator.reapNow({ onProgress })).removed;
    const left = alive ? await waitForReaper(operator, say) : 0;
    const groups = (await operator.status()).filter(({ shape }) => shape === "fan-in");
    return { removed, left, groupsOwed: groups.reduce((sum, one) => sum + one.waiting + one.later, 0) };
  } finally {
    if (say.console.live && !say.json) say.console.warn("\r\u001b[K");
  }
}

const lookAgainMs = 200;
const waitMs = 30_000;

async function waitForReaper(operator: Operator, say: Saying): Promise<number> {
  for (const until = performance.now() + waitMs; ; await pause(lookAgainMs)) {
    const left = await operator.leftToReap();
    if (left === 0 || performance.now() > until) return left;
    progress(say, `${showNumber(left)} to go`);
  }
}

function removedText({ removed, left, groupsOwed }: Removed): string {
  const rest = left > 0 ? ` ${showCount(left, "document")} are still being removed by a worker.` : "";
  const groups =
    groupsOwed > 0 ? ` ${showCount(groupsOwed, "group waits", "groups wait")} for a worker: headway up` : "";
  const sum =
    removed === null
      ? "A worker has removed the rest."
      : `${showCount(removed, "document")} removed altogether.`;
  return `${left > 0 ? rest.trim() : sum}${groups}`;
}
