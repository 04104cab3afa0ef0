import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repo = fileURLToPath(new URL("../../", import.meta.url));
const shelf = join(repo, ".cache", "built");
const packages = ["engine", "text", "intake", "pipelines/consensus", "pipelines/manuals", "console", "cli"];
const keptMs = 24 * 60 * 60 * 1000;

let built: string | undefined;

/**
 * The installed command: built once for each state of the sources, in a folder like an installation. The build starts
 * in a third of the time of the sources, and is the program that people run.
 */
export function builtHeadway(): string {
  built ??= join(findOrBuild(), "node_modules/@headway/cli/bin/headway.mjs");
  return built;
}

function findOrBuild(): string {
  const place = join(shelf, hashOfSources());
  if (existsSync(place)) return place;
  const draft = `${place}.${randomUUID()}`;
  for (const name of packages) build(join(repo, name), join(draft, "node_modules", nameOf(name)));
  try {
    renameSync(draft, place);
  } catch (error) {
    // Another process built the same state first.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
  for (const other of readdirSync(shelf).map((entry) => join(shelf, entry)))
    if (Date.now() - (statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? 0) > keptMs)
      rmSync(other, { recursive: true, force: true });
  return place;
}

const nameOf = (folder: string): string => `@headway/${folder.split("/").at(-1)}`;

function hashOfSources(): string {
  const hash = createHash("sha256");
  for (const name of packages)
    for (const part of ["package.json", "tsconfig.build.json", "bin", "src"].map((one) =>
      join(repo, name, one),
    ))
      for (const path of filesIn(part)) {
        const { mtimeMs, size } = statSync(path);
        hash.update(`${path} ${mtimeMs} ${size}\n`);
      }
  return hash.digest("hex").slice(0, 16);
}

function filesIn(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  if (found.isFile()) return [path];
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)));
}

/** Folders that the package ships beside its code, as its manifest says. */
function shippedBeside(folder: string): string[] {
  const { files } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { files: string[] };
  return files.filter((name) => !["dist", "bin"].includes(name) && existsSync(join(folder, name)));
}

function build(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const flags = ["--outDir", join(to, "dist"), "--declaration", "false", "--sourceMap", "false", "--noCheck"];
  const compiler = join(repo, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", join(from, "tsconfig.build.json"), ...flags], {
    stdio: "inherit",
  });
  // The compiler does not copy JavaScript files.
  for (const path of filesIn(join(from, "src")).filter((one) => one.endsWith(".mjs")))
    copyFileSync(path, join(to, "dist", path.slice(join(from, "src").length)));
  // The console's pages are bundled by its own builder.
  const web = join(from, "src/server/build-web.ts");
  if (existsSync(web))
    execFileSync(process.execPath, ["--import", "tsx", web, join(to, "dist/web")], {
      cwd: repo,
      stdio: "inherit",
    });
  copyFileSync(join(from, "package.json"), join(to, "package.json"));
  if (existsSync(join(from, "bin"))) cpSync(join(from, "bin"), join(to, "bin"), { recursive: true });
  for (const name of shippedBeside(from)) symlinkSync(join(from, name), join(to, name));
}
