import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { permanent, transient } from "@headway/engine";
import { checkHost } from "./check-host.ts";
import type { TakenFile } from "./feeder.ts";
import { addCounts, nothing, type Reading, type ReadResult, type ReadSource, withSecret } from "./reading.ts";
import { lastLine, runTool, type ToolRun } from "./run-tool.ts";

const batchMails = 50;
const epochsMax = 1_000;

/**
 * Reads a public-inbox: each commit is a mail, in a file called `m`. A list with several epochs is a folder of
 * repositories, `/0`, `/1` and so on. The last commit that was accepted is kept for each.
 */
export const readGit: ReadSource = async (reading) => {
  const { spec, cursor, folder } = reading;
  await checkHost(spec);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const commits = { ...(cursor.commits as Record<string, string> | undefined) };
  const base = spec.place.replace(/^git\+/, "").replace(/\/$/, "");
  let sum: ReadResult = nothing;
  for (const { name, url } of await epochsOf(reading, base)) {
    const repository = join(folder, `${name}.git`);
    await mirror(reading, url, repository);
    const { result, last } = await readCommits(reading, repository, commits[name] ?? null, async (commit) => {
      commits[name] = commit;
      await reading.keep({ commits });
    });
    if (last) commits[name] = last;
    sum = { ...addCounts(sum, result), more: sum.more || result.more };
  }
  return sum;
};

/** The repository itself, or its epochs; none if it has no commit yet. */
async function epochsOf(reading: Reading, base: string): Promise<{ name: string; url: string }[]> {
  const whole = await lookAt(reading, base);
  if (whole !== "missing") return whole === "empty" ? [] : [{ name: "all", url: base }];
  const epochs: { name: string; url: string }[] = [];
  for (let epoch = 0; epoch < epochsMax; epoch++) {
    const url = `${base}/${epoch}`;
    const found = await lookAt(reading, url);
    if (found === "missing") break;
    if (found === "there") epochs.push({ name: String(epoch), url });
  }
  if (epochs.length > 0) return epochs;
  throw permanent("git.missing", `${reading.spec.place} is no git repository, and has no epochs.`);
}

async function lookAt(reading: Reading, url: string): Promise<"there" | "empty" | "missing"> {
  const { code, complaint } = await git(reading, ["ls-remote", "--exit-code", "--", url, "HEAD"]);
  if (code === 0) return "there";
  // Git says so itself: it was reached, and has no commit.
  if (code === 2) return "empty";
  if (isRefused.test(complaint))
    throw permanent("git.login", `${reading.spec.place} may not be read with this name and secret.`);
  if (isMissing.test(complaint)) return "missing";
  throw transient("git.unreachable", `git: ${lastLine(complaint)}`);
}

const isRefused =
  /authentication failed|could not read (username|password)|returned error: 40[137]|access denied/i;
/** Anything else is trouble of the host or the network, and passes. */
const isMissing =
  /not found|does not appear to be a git repository|does not exist|no such (file|device)|not a git repository|returned error: (404|410)|not valid: is this a git repository/i;

async function mirror(reading: Reading, url: string, repository: string): Promise<void> {
  const words = existsSync(join(repository, "HEAD"))
    ? ["-C", repository, "fetch", "--quiet", "--", url, "+HEAD:refs/headway/head"]
    : null;
  if (!words) {
    await succeed(reading, ["init", "--quiet", "--bare", "--", repository]);
    return await mirror(reading, url, repository);
  }
  await succeed(reading, words);
}

async function readCommits(
  reading: Reading,
  repository: string,
  after: string | null,
  keep: (commit: string) => Promise<void>,
): Promise<{ result: ReadResult; last: string | null }> {
  const { feeder, options, name, spec } = reading;
  const take = feeder.files;
  if (!take) throw permanent("source.pipeline", `The pipeline "${spec.pipeline}" takes no single mails.`);
  const range =
    after !== null && (await isAncestor(reading, repository, after))
      ? [`${after}..refs/headway/head`]
      : ["refs/headway/head"];
  const { output } = await succeed(reading, ["-C", repository, "rev-list", "--reverse", ...range]);
  const commits = output
    .toString("latin1")
    .split("\n")
    .filter((line) => /^[0-9a-f]{40,64}$/.test(line));
  const wanted = commits.slice(0, spec.documentsMax);
  let result: ReadResult = nothing;
  for (let at = 0; at < wanted.length; at += batchMails) {
    options.signal.throwIfAborted();
    const batch = wanted.slice(at, at + batchMails);
    const files: TakenFile[] = [];
    for (const commit of batch) {
      const { code, output: bytes } = await git(reading, [
        "-C",
        repository,
        "cat-file",
        "blob",
        `${commit}:m`,
      ]);
      // A commit without the file deletes a mail, or is no mail at all.
      if (code === 0 && bytes.length > 0)
        files.push({ key: `${name}/${commit}.eml`, place: `${spec.place};commit=${commit}`, bytes });
    }
    if (files.length > 0)
      result = addCounts(result, await take(files, { ...options, list: options.list ?? name }));
    await keep(batch.at(-1) as string);
  }
  return { result: { ...result, more: wanted.length < commits.length }, last: wanted.at(-1) ?? after };
}

const isAncestor = async (reading: Reading, repository: string, commit: string): Promise<boolean> =>
  (await git(reading, ["-C", repository, "merge-base", "--is-ancestor", commit, "refs/headway/head"]))
    .code === 0;

async function succeed(reading: Reading, words: readonly string[]): Promise<ToolRun> {
  const run = await git(reading, words);
  if (run.code === 0) return run;
  throw transient(
    "git.unreachable",
    `git ${words[0] === "-C" ? words[2] : words[0]}: ${lastLine(run.complaint)}`,
  );
}

/** No prompt, no helper, no hook, no other protocol; a password goes through the environment. */
function git({ secret, spec, options }: Reading, words: readonly string[]): Promise<ToolRun> {
  const base = spec.place.replace(/^git\+/, "").replace(/\/$/, "");
  const secretUrl = secret === null || base.startsWith("file:") ? null : withSecret(base, secret);
  const config = [
    ["core.hooksPath", "/dev/null"],
    ["credential.helper", ""],
    ["http.followRedirects", "initial"],
    ...(secretUrl ? [[`url.${secretUrl}.insteadOf`, base]] : []),
  ];
  const env = {
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ALLOW_PROTOCOL: "https:http:git:file",
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(
      config.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key as string],
        [`GIT_CONFIG_VALUE_${at}`, value as string],
      ]),
    ),
  };
  return runTool("git", words, { signal: options.signal, env });
}
