import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { holdStill, recordAct } from "@headway/engine/internal";
import { openDatabase } from "@headway/engine/operate";
import { showBytes } from "../checkup/finding.ts";
import { actorName } from "../desk.ts";
import { Refusal } from "../exit-codes.ts";
import { writeBackup } from "../keeping/backup-file.ts";
import type { Adding } from "../run.ts";
import { type Place, placeOf, sharedFlags } from "../shared-options.ts";
import { type Console, showCount } from "../terminal.ts";
import { whenFree } from "../when-free.ts";

export function addBackup({ program, console }: Adding): void {
  program
    .command("backup")
    .description("Back up the embedded database and its archives")
    .argument("[file]", "the file to make (default: headway-<time>.tar.gz)")
    .option("--dry-run", "only say what it would hold; changes nothing")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway backup /backups/headway-monday.tar.gz
  headway backup --dry-run
  headway restore /backups/headway-monday.tar.gz --data .headway-restored

While its database is copied nothing else is written: whoever works waits. Archives are copied before that.
A PostgreSQL has its own tools; this command says how to call them.`,
    )
    .action(async (given, options) => {
      const place = placeOf(options);
      if ("url" in place.database) throw new Refusal(dumpAdvice(place.data, place.database));
      const now = new Date();
      const file = resolve(given ?? `headway-${now.toISOString().slice(0, 19).replaceAll(":", "")}Z.tar.gz`);
      if (existsSync(file)) throw new Refusal(`${file} is there already: give another name.`);
      if (options.dryRun) return tellPlan(file, await measure(place), options.json === true, console);
      const { manifest, sha256, bytes } = await backUp(file, place, now);
      if (options.json)
        return console.writeJson({
          file,
          sha256,
          bytes,
          madeAt: manifest.madeAt,
          files: manifest.files.length,
        });
      console.write(`${file}\n`);
      console.warn(
        `${showCount(manifest.files.length, "file")}, ${showBytes(bytes)}, SHA-256 ${sha256}.\nCheck it with: headway restore ${file} --dry-run\n`,
      );
    });
}

function refuseMissing(data: string): void {
  if (!existsSync(join(data, "data")))
    throw new Refusal(`There is no database in ${data}: give another folder with --data.`);
}

/** Files and bytes before packing. */
async function measure({ data }: Place): Promise<{ files: number; bytes: number }> {
  refuseMissing(data);
  const folders = ["data", ...(await shelvesOf(join(data, "blobs"))).map((shelf) => join("blobs", shelf))];
  let [files, bytes] = [0, 0];
  for (const folder of folders) {
    for (const entry of await readdir(join(data, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      files += 1;
      bytes += await stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      );
    }
  }
  return { files, bytes };
}

function tellPlan(
  file: string,
  { files, bytes }: { files: number; bytes: number },
  json: boolean,
  console: Console,
): void {
  if (json) console.writeJson({ dryRun: true, file, files, bytes });
  else
    console.write(
      `Would put ${showCount(files, "file")}, ${showBytes(bytes)} before packing, into ${file}. Nothing was changed.\n`,
    );
}

async function backUp(file: string, { data, database: option }: Place, now: Date) {
  refuseMissing(data);
  const database = await whenFree(() => openDatabase(option, { poolMax: 1 }));
  try {
    const made = await writeBackup(file, { folder: data, now }, async (writer) => {
      const blobs = async () => {
        for (const shelf of await shelvesOf(join(data, "blobs"))) await writer.add(`blobs/${shelf}`);
      };
      // Blobs never change, so most are copied before the database is held still.
      await blobs();
      await holdStill(database, async () => {
        await writer.add("data");
        await blobs();
      });
    });
    const { bytes, sha256 } = made;
    await recordAct(
      { database, actor: actorName() },
      { act: "backup", target: file, detail: { bytes, sha256 } },
    );
    return made;
  } finally {
    await database.close();
  }
}

/** Unfinished blobs are left out. */
const shelvesOf = async (folder: string): Promise<string[]> =>
  existsSync(folder) ? (await readdir(folder)).filter((name) => /^[0-9a-f]{2}$/.test(name)).sort() : [];

/** Without the password, which would end up in the shell's history. */
export function dumpAdvice(
  data: string,
  { url, schema = "headway" }: { url: string; schema?: string },
): string {
  const address = new URL(url);
  address.password = "";
  const blobs = existsSync(join(data, "blobs"))
    ? `, and its archives with: tar -czf blobs.tar.gz -C ${data} blobs`
    : "";
  // A dump of one schema leaves extensions out; the pattern needs a match, and plpgsql is in every database.
  const dump = `pg_dump --format=custom --schema=${schema} --schema=${schema}_read --extension='vector|plpgsql' --file=headway.dump`;
  return `A PostgreSQL is backed up by its own tool: ${dump} "${address.href}"${blobs}`;
}
