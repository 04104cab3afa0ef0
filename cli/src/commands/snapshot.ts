import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rename, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import {
  type AnonymousArchives,
  feed,
  type Ledger,
  readLedger,
  readSettings,
  startConsensus,
  writeAnonymousArchives,
} from "@headway/consensus";
import { recordAct } from "@headway/engine/internal";
import { lookAtConsensus } from "../compose.ts";
import { actorName, withDesk } from "../desk.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import { showProgress } from "../progress.ts";
import type { Adding } from "../run.ts";
import { type SharedOptions, sharedFlags } from "../shared-options.ts";
import { markCopy } from "../staging-copy.ts";
import { type Console, showCount } from "../terminal.ts";
import { interruptible } from "./ingest.ts";

export function addSnapshot({ program, console, end }: Adding): void {
  program
    .command("snapshot")
    .description("Make an anonymous copy for staging")
    .argument("<folder>", "the new folder to make; headway … --data FOLDER opens it")
    .option("--anonymize", "replace names, addresses, telephone numbers and words (there is no other way)")
    .option("--dry-run", "only say what would be copied; changes nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway snapshot --anonymize staging
  headway threads --data staging

Every mail is rewritten: the same person has the same other name everywhere, also within texts and ids, and words become
others of about the same length. Dates are moved by months, thread by thread, and rounded. Threads, quotes, counts,
positions and outcomes stay as they are, and with them the words that show how people stand ("agree", "+1"). What the
pipeline could not read (dead letters) is left out. Then the new mails go through the pipeline, offline, into the new folder: it never held
anything else. The key is made for one copy and forgotten.`,
    )
    .action(async (given, options) => {
      if (!options.anonymize)
        throw new Refusal(
          "A copy that is not anonymous is a backup: headway backup. Else say --anonymize.",
          exitCodes.usage,
        );
      const folder = resolve(given);
      if (existsSync(folder) && (await readdir(folder)).length > 0)
        throw new Refusal(`${folder} is not empty: give a new folder.`);
      if (options.dryRun) return await tellPlan(folder, options, console);
      const made = await inFolder(async (mailFolder) => {
        const { archives, original } = await lookAtConsensus(options, async ({ engine }) => ({
          archives: await writeAnonymousArchives(engine, mailFolder, { key: randomBytes(32) }),
          original: await readLedger(engine.database),
        }));
        if (archives.mails === 0)
          throw new Refusal('There is no mail to copy: read an archive with "headway ingest PATH".');
        return { original, copy: await build(folder, archives, console, options.json === true) };
      });
      await withDesk(options, ({ database }) => {
        const detail = { mails: made.copy.mails, threads: made.copy.threads };
        return recordAct({ database, actor: actorName() }, { act: "snapshot", target: folder, detail });
      });
      tell(folder, made, options.json === true, console);
      if (made.copy.dead > 0) end(exitCodes.deadLetters);
    });
}

async function tellPlan(folder: string, options: SharedOptions, console: Console): Promise<void> {
  const { mails, messages, threads } = await lookAtConsensus(options, ({ engine }) =>
    readLedger(engine.database),
  );
  if (options.json) return console.writeJson({ dryRun: true, folder, mails, messages, threads });
  console.write(
    `Would rewrite ${showCount(messages, "message")} in ${showCount(threads, "thread")} into ${folder}. Nothing was changed.\n`,
  );
}

/** A temporary folder; its name appears in the copy, so it reveals nothing. */
async function inFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "headway-"));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Built beside the target first: an existing copy is whole. */
async function build(
  folder: string,
  { lists }: AnonymousArchives,
  console: Console,
  quiet: boolean,
): Promise<Ledger> {
  const draft = join(dirname(folder), `.${basename(folder)}.${process.pid}.making`);
  // Nothing is sent to a server, and nothing costs money.
  const settings = { ...readSettings({}), ...quick };
  try {
    const ledger = await interruptible(async (signal) => {
      const consensus = await startConsensus({ data: draft, settings });
      try {
        const work = (async () => {
          for (const { list, folder: place } of lists) await feed(consensus, [place], { list, signal });
          await consensus.engine.settled({ signal });
        })();
        await showProgress(consensus, console, work, { quiet });
        return await readLedger(consensus.engine.database);
      } finally {
        await consensus.stop();
      }
    });
    if (existsSync(folder)) await rmdir(folder);
    markCopy(draft);
    await rename(draft, folder);
    return ledger;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
const quick = { listQuiet: "300ms", threadQuiet: "300ms" } as const;

function tell(
  folder: string,
  { original, copy }: { original: Ledger; copy: Ledger },
  json: boolean,
  console: Console,
): void {
  if (json) {
    console.writeJson({ folder, original, copy });
    return;
  }
  const left = original.mails - copy.mails;
  console.write(
    `${folder}: ${showCount(copy.messages, "message")} in ${showCount(copy.threads, "thread")}, of ${original.messages} in ${original.threads}${left > 0 ? `; ${showCount(left, "mail")} that could not be read were left out` : ""}.\n`,
  );
  console.warn(`Look at it with: headway threads --data ${folder}\n`);
}
