import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { recordAct } from "@headway/engine/internal";
import type { Verified } from "@headway/engine/operate";
import { actorName, withDesk } from "../desk.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import { DamagedBackup, type Manifest, readBackup } from "../keeping/backup-file.ts";
import type { Adding } from "../run.ts";
import { placeOf, sharedFlags } from "../shared-options.ts";
import { type Console, showCount } from "../terminal.ts";

export function addRestore({ program, console, end }: Adding): void {
  program
    .command("restore")
    .description("Restore a backup into an empty folder")
    .argument("<file>", "a file that headway backup made")
    .option("--dry-run", "only check whether the backup is whole")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway restore headway-monday.tar.gz --dry-run
  headway restore headway-monday.tar.gz --data .headway-restored

Every hash is checked before anything gets its name, and every promise about the documents after that.`,
    )
    .action(async (given, options) => {
      const { data, database } = placeOf(options);
      if ("url" in database)
        throw new Refusal(
          'A PostgreSQL is restored by its own tool: pg_restore --dbname "postgres://user@host/name" headway.dump',
        );
      const file = resolve(given);
      if (!existsSync(file))
        throw new Refusal(`${file} is not there: give a file that "headway backup" made.`);
      if (options.dryRun) return tellWhole(file, await check(file, null), options.json === true, console);
      await refuseUsed(data);
      const manifest = await unpack(file, data);
      const verified = await withDesk({ data }, async ({ operator, database }) => {
        const act = { act: "restore", target: file, detail: { madeAt: manifest.madeAt } };
        await recordAct({ database, actor: actorName() }, act);
        return await operator.verify();
      });
      tellRestored({ data, manifest, verified }, options.json === true, console);
      if (!verified.ok) end(exitCodes.refused);
    });
}

const check = (file: string, into: string | null): Promise<Manifest> =>
  readBackup(file, into).catch((error: unknown) => {
    throw error instanceof DamagedBackup ? new Refusal(error.message) : error;
  });

/** Existing content is never mixed with restored content. */
async function refuseUsed(data: string): Promise<void> {
  const inside = existsSync(data) ? await readdir(data) : [];
  if (inside.length > 0)
    throw new Refusal(
      `${data} is not empty, and nothing in it is overwritten: give a new folder with --data.`,
    );
}

/** Unpacked beside the target first, then renamed: whole or not at all. */
async function unpack(file: string, data: string): Promise<Manifest> {
  const draft = join(dirname(data), `.${basename(data)}.${process.pid}.restoring`);
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 });
    const manifest = await check(file, draft);
    if (existsSync(data)) await rmdir(data);
    await rename(draft, data);
    return manifest;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function tellWhole(file: string, { madeAt, files }: Manifest, json: boolean, console: Console): void {
  if (json) console.writeJson({ file, whole: true, madeAt, files: files.length });
  else console.write(`${file} is whole: ${showCount(files.length, "file")}, made at ${madeAt}.\n`);
}

function tellRestored(
  { data, manifest, verified }: { data: string; manifest: Manifest; verified: Verified },
  json: boolean,
  console: Console,
): void {
  if (json) {
    console.writeJson({ data, madeAt: manifest.madeAt, files: manifest.files.length, verified });
    return;
  }
  console.write(`${data} is as it was at ${manifest.madeAt}: ${showCount(manifest.files.length, "file")}.\n`);
  if (verified.ok) console.write(`Every promise holds, over ${showCount(verified.rows, "row")}.\n`);
  else
    console.warn(
      `${verified.first?.sentence}\nIt was so when the backup was made; see: headway verify --data ${data}\n`,
    );
}
