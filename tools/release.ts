import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { repo } from "./source.ts";

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export interface Release {
  readonly tag: string;
  /** The section of the changelog, for the tag and the announcement. */
  readonly notes: string;
  /** Files with their new text. */
  readonly files: readonly TextFile[];
}

/** A release as data: the new texts of manifests, lock file and changelog, the tag and its notes. */
export function planRelease(
  version: string,
  {
    manifests,
    lock,
    changelog,
    day,
  }: {
    readonly manifests: readonly TextFile[];
    readonly lock: TextFile;
    readonly changelog: TextFile;
    readonly day: string;
  },
): Release {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`"${version}" is no version such as 0.2.0.`);
  for (const { path, text } of manifests) {
    const { version: before } = JSON.parse(text) as { version: string };
    if (compareVersions(version, before) <= 0)
      throw new Error(`${path} is at ${before}: a release needs a later version than that.`);
  }
  const notes = unreleased(changelog.text);
  const heading = `## ${version} (${day})`;
  return {
    tag: `v${version}`,
    notes: `Headway ${version}\n\n${notes}`,
    files: [
      ...manifests.map(({ path, text }) => ({ path, text: withVersion(text, version) })),
      { path: lock.path, text: lockWithVersion(lock.text, version) },
      {
        path: changelog.path,
        text: changelog.text.replace(/^## Unreleased$/m, () => `## Unreleased\n\n${heading}`),
      },
    ],
  };
}

export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split(".").map(Number));
  const at = [0, 1, 2].find((index) => a?.[index] !== b?.[index]);
  return at === undefined ? 0 : (a?.[at] ?? 0) - (b?.[at] ?? 0);
}

function unreleased(changelog: string): string {
  const [, after = ""] = changelog.split(/^## Unreleased$/m);
  const [section = ""] = after.split(/^## /m);
  if (section.trim() === "")
    throw new Error("CHANGELOG.md has nothing under Unreleased: there is nothing to release.");
  return section.trim();
}

interface Manifest {
  version?: string;
  dependencies?: Record<string, string>;
}

/** Our packages depend on each other in exactly one version. */
function renew(manifest: Manifest, version: string): void {
  if (manifest.version !== undefined) manifest.version = version;
  for (const name of Object.keys(manifest.dependencies ?? {}))
    if (name.startsWith("@headway/") && manifest.dependencies) manifest.dependencies[name] = version;
}

function withVersion(text: string, version: string): string {
  const manifest = JSON.parse(text) as Manifest;
  renew(manifest, version);
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function lockWithVersion(text: string, version: string): string {
  const lock = JSON.parse(text) as { packages: Record<string, Manifest> };
  for (const [place, entry] of Object.entries(lock.packages))
    if (place !== "" && !place.includes("node_modules/")) renew(entry, version);
  return `${JSON.stringify(lock, null, 2)}\n`;
}

const read = (path: string): TextFile => ({ path, text: readFileSync(join(repo, path), "utf8") });

/** The manifests of all packages, from the workspaces of the root. */
export function readManifests(): TextFile[] {
  const { workspaces } = JSON.parse(read("package.json").text) as { workspaces: readonly string[] };
  const folders = workspaces.flatMap((one) =>
    one.endsWith("/*")
      ? readdirSync(join(repo, one.slice(0, -2))).map((name) => `${one.slice(0, -2)}/${name}`)
      : [one],
  );
  const paths = folders.map((folder) => `${folder}/package.json`);
  return paths.filter((path) => existsSync(join(repo, path))).map(read);
}

const git = (...words: string[]): string => execFileSync("git", words, { cwd: repo, encoding: "utf8" });

// npm run release -- 0.2.0 [--dry-run]
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  const dryRun = words.includes("--dry-run");
  const version = words.find((word) => !word.startsWith("--")) ?? "";
  try {
    const { tag, notes, files } = planRelease(version, {
      manifests: readManifests(),
      lock: read("package-lock.json"),
      changelog: read("CHANGELOG.md"),
      day: new Date().toISOString().slice(0, 10),
    });
    if (dryRun) {
      for (const { path } of files) process.stdout.write(`would write ${path}\n`);
      process.stdout.write(`would commit and tag ${tag}; nothing was changed. Notes:\n\n${notes}\n`);
    } else {
      if (git("status", "--porcelain") !== "") throw new Error("The tree has changes: commit them first.");
      if (git("tag", "--list", tag) !== "") throw new Error(`The tag ${tag} is there already.`);
      for (const { path, text } of files) writeFileSync(join(repo, path), text);
      git("add", ...files.map(({ path }) => path));
      git("commit", "--quiet", "--message", `Release ${version}`);
      git("tag", "--annotate", tag, "--cleanup=verbatim", "--message", notes);
      process.stdout.write(
        `${tag} is committed and tagged.\nPublish: git push --follow-tags && npm publish --workspaces --access public\n`,
      );
    }
  } catch (error) {
    process.stderr.write(`release: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
