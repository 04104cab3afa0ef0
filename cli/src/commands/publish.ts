import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type ConsensusReader, publishSite, type SitePage } from "@headway/consensus";
import { recordAct } from "@headway/engine/internal";
import { withConsensus } from "../compose.ts";
import { actorName } from "../desk.ts";
import { Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { sharedFlags } from "../shared-options.ts";
import { showCount } from "../terminal.ts";

export function addPublish({ program, console }: Adding): void {
  program
    .command("publish")
    .description("Write threads and reports as a static site with search")
    .argument("<folder>", "the folder of the site; files of an earlier site are replaced")
    .option("--list <name...>", "only these lists")
    .option("--title <text>", "the name of the site", "Mailing lists")
    .option("--dry-run", "only say what would be written")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway publish site\n  headway publish /srv/www/lists --list quic --title "QUIC working group"\n\nThe pages can be opened from a disk, or copied to any web server. No page loads anything from elsewhere, and only the search\npage runs a script. Run it again to bring the site up to date: unchanged files keep their time.`,
    )
    .action(async (folder, options) => {
      const place = resolve(folder);
      const dryRun = options.dryRun === true;
      await refuseForeign(place);
      const told = await withConsensus(options, { work: false }, async (consensus) => {
        const { engine } = consensus;
        const written = await writeSite(consensus, place, { ...options, dryRun });
        if (!dryRun) {
          const act = { act: "publish", target: place, detail: { ...written } };
          await recordAct({ database: engine.database, actor: actorName() }, act);
        }
        return written;
      });
      if (options.json) return console.writeJson({ folder: place, ...told, dryRun });
      const verb = dryRun ? "Would write" : "Wrote";
      console.write(
        `${verb} ${showCount(told.pages, "page")} about ${showCount(told.threads, "thread")}: ${told.changed} changed, ${told.removed} removed.\n`,
      );
      if (!dryRun) console.warn(`Open ${join(place, "index.html")}\n`);
    });
}

const marker = ".headway-site";

/** A folder with foreign files is left alone. */
async function refuseForeign(place: string): Promise<void> {
  const names = await readdir(place).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === "ENOENT") return [];
    throw new Refusal(`${place} cannot be used: ${error.message}`);
  });
  if (names.length > 0 && !names.includes(marker))
    throw new Refusal(`${place} has files that are no site of Headway: name an empty or a new folder.`);
}

interface Written {
  readonly pages: number;
  readonly threads: number;
  readonly changed: number;
  readonly removed: number;
}

async function writeSite(
  consensus: ConsensusReader,
  place: string,
  given: { readonly list?: string[] | undefined; readonly title: string; readonly dryRun: boolean },
): Promise<Written> {
  const { list: lists, title: site, dryRun } = given;
  const before = new Set(
    (await readFile(join(place, marker), "utf8").catch(() => "")).split("\n").filter(isOwnPath),
  );
  const paths: string[] = [];
  let [changed, threads] = [0, 0];
  for await (const page of publishSite(consensus.engine.database, { site, ...(lists && { lists }) })) {
    paths.push(page.path);
    if (page.path.startsWith("threads/")) threads += 1;
    if (await writePage(place, page, dryRun)) changed += 1;
  }
  const gone = [...before].filter((path) => !paths.includes(path));
  if (!dryRun) {
    for (const path of gone) await rm(join(place, path), { force: true });
    await writeFile(join(place, marker), `${paths.join("\n")}\n`);
  }
  return { pages: paths.length, threads, changed, removed: gone.length };
}

/** Paths in the list of an earlier site: a changed list cannot lead out of the folder. */
const isOwnPath = (path: string): boolean =>
  /^(?:(?:lists|threads)\/)?[a-z0-9-]+\.(?:html|css|js)$/i.test(path);

/** True: the file was not there, or had different content. */
async function writePage(place: string, { path, content }: SitePage, dryRun: boolean): Promise<boolean> {
  const file = join(place, path);
  if ((await readFile(file, "utf8").catch(() => null)) === content) return false;
  if (dryRun) return true;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, content);
  await rename(`${file}.new`, file);
  return true;
}
