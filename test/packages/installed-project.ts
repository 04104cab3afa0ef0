import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repo } from "../../tools/source.ts";

const execute = promisify(execFile);

/** The environment of a stranger: nothing of the test run. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(VITEST|NODE_ENV|TEST$|HEADWAY_|npm_|INIT_CWD)/.test(name),
    ),
  );

/** Packs every package as a release would. */
export async function packAll(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "headway-tarballs-"));
  const words = ["pack", "--workspaces", "--pack-destination", folder, "--silent"];
  await execute("npm", words, { cwd: repo, env: environment(), maxBuffer: 1e8 });
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
}

export async function filesIn(tarball: string): Promise<string[]> {
  const { stdout } = await execute("tar", ["tzf", tarball], { maxBuffer: 1e8 });
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/^package\//, ""));
}

/** A folder outside the repository with the tarballs installed. */
export async function installIn(tarballs: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "headway-stranger-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const words = ["install", "--no-audit", "--no-fund", "--prefer-offline", ...tarballs];
  await execute("npm", words, { cwd: folder, env: environment(), timeout: 300_000 }).catch(
    async (error: Error) => {
      process.stderr.write(`npm install failed, the packages are unpacked instead: ${error.message}\n`);
      await unpackIn(folder, tarballs);
    },
  );
  return folder;
}

/** Without a registry: our packages from their tarballs, others from the clone. */
async function unpackIn(folder: string, tarballs: readonly string[]): Promise<void> {
  const own = join(folder, "node_modules/@headway");
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(join(repo, "node_modules")))
    if (!name.startsWith(".") && name !== "@headway")
      symlinkSync(join(repo, "node_modules", name), join(folder, "node_modules", name));
  for (const tarball of tarballs) {
    const name = /headway-([a-z]+)-\d/.exec(tarball)?.[1] as string;
    mkdirSync(join(own, name));
    await execute("tar", ["xzf", tarball, "--strip-components=1", "-C", join(own, name)]);
  }
}

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the installed command in a folder, with nothing on its standard input. */
export async function headway(
  bin: string,
  cwd: string,
  words: readonly string[],
  node: string = process.execPath,
): Promise<Ended> {
  const child = start(bin, cwd, words, node);
  let [out, err] = ["", ""];
  child.stdout?.on("data", (text) => {
    out += text;
  });
  child.stderr?.on("data", (text) => {
    err += text;
  });
  const code = await ended(child);
  return { code, out, err };
}

export const start = (
  bin: string,
  cwd: string,
  words: readonly string[],
  node: string = process.execPath,
): ChildProcess =>
  spawn(node, [bin, ...words], { cwd, env: environment(), stdio: ["ignore", "pipe", "pipe"] });

/** A Node of another version from the registry; null, with a word to the log: none is to be had. */
export async function fetchNode(version: string, folder: string): Promise<string | null> {
  const name = `node-${process.platform}-${process.arch}`;
  const words = ["install", "--no-save", "--no-audit", "--no-fund", "--prefer-offline", "--prefix", folder];
  try {
    mkdirSync(folder, { recursive: true });
    await execute("npm", [...words, `${name}@${version}`], { env: environment(), timeout: 120_000 });
    const node = join(folder, "node_modules", name, "bin/node");
    await execute(node, ["--version"]);
    return node;
  } catch (error) {
    const reason = (error as Error).message.split("\n")[0];
    process.stderr.write(`Node ${version} is not to be had, so it was not tried: ${reason}\n`);
    return null;
  }
}

export const ended = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode);
    child.on("close", (code) => resolve(code ?? 1));
  });

/** Resolves when a process has written something that fits. */
export function said(child: ChildProcess, pattern: RegExp): Promise<void> {
  let text = "";
  return new Promise((resolve, reject) => {
    const hear = (part: Buffer) => {
      text += part;
      if (pattern.test(text)) resolve();
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.on("close", (code) => reject(new Error(`It ended with ${code}: ${text}`)));
  });
}

/** Runs `npm test` of a project. */
export async function npmTest(cwd: string): Promise<string> {
  const { scripts } = JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"));
  const [, ...words] = (scripts.test as string).split(" ");
  return (await execute(process.execPath, words, { cwd, env: environment() })).stdout;
}

export { execute };
