import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Found, Summary } from "./report.ts";

/** A run kept in bench/results: figures, time, commit and kind of machine. */
export interface Result {
  readonly at: string;
  readonly commit: string;
  /** The working tree differed from the commit. */
  readonly changed: boolean;
  readonly machine: Readonly<Record<string, string | number>>;
  readonly repetitions: number;
  readonly summary: Summary;
  readonly found: readonly Found[];
}

export const resultsFolder = fileURLToPath(new URL("results/", import.meta.url));

/** Facts needed to judge the figures, without the machine's identity. */
export const machineFacts = (settings: Readonly<Record<string, string>>) => ({
  cores: cpus().length,
  processor: cpus()[0]?.model ?? "unknown",
  memoryGb: Math.round(totalmem() / 1e9),
  system: process.platform,
  node: process.version,
  postgres: settings.server_version ?? "unknown",
});

export function commitNow(): { commit: string; changed: boolean } {
  const git = (...words: string[]) => execFileSync("git", words, { encoding: "utf8" }).trim();
  try {
    return { commit: git("rev-parse", "--short", "HEAD"), changed: git("status", "--porcelain") !== "" };
  } catch {
    return { commit: "unknown", changed: true };
  }
}

export function keepResult(result: Result, folder = resultsFolder): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${result.at.slice(0, 19).replaceAll(":", "-")}-${result.commit}.json`);
  writeFileSync(file, `${JSON.stringify(result, roundNumbers, 1)}\n`);
  return file;
}

const roundNumbers = (_: string, value: unknown) =>
  typeof value === "number" ? Number(value.toPrecision(5)) : value;

/** All kept runs, oldest first. */
export function readResults(folder = resultsFolder): readonly Result[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Result)
    .sort((a, b) => (a.at < b.at ? -1 : 1));
}
