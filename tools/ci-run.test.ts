import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repo } from "./source.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headway-fake-clone-"));
  await mkdir(join(folder, ".ci"));
  await cp(join(repo, ".ci/run"), join(folder, ".ci/run"));
});
afterEach(() => rm(folder, { recursive: true }));

interface Scripts {
  readonly test: string;
  readonly proofs: string;
}

/** Runs `.ci/run` in a clone with an `npm` that runs these shell commands. */
async function runCi(scripts: Scripts, env: Readonly<Record<string, string>> = {}) {
  const npm = `#!/bin/bash
    case "$*" in
      "ci "*) echo installed ;;
      test) ${scripts.test} ;;
      "run proofs") ${scripts.proofs} ;;
      *) exit 9 ;;
    esac`;
  await writeFile(join(folder, "npm"), npm, { mode: 0o755 });
  const own = { ...process.env, PATH: `${folder}:${process.env.PATH}`, ...env };
  return await new Promise<{ code: number; lines: string[] }>((resolve) => {
    execFile("bash", [".ci/run"], { cwd: folder, env: own }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), lines: stdout.trimEnd().split("\n") }),
    );
  });
}

const passes = (count: number) => `echo '${count} passed, 0 failed'`;

describe(".ci/run", { timeout: 60_000 }, () => {
  it("adds up what its steps counted, and says what it ran and for how long", async () => {
    const { code, lines } = await runCi({
      test: `echo '9 passed, 9 failed' && echo "note: lucky" >>"$HEADWAY_CLOSING" && echo '40 passed, 0 failed, 2 skipped'`,
      proofs: passes(3),
    });
    expect([code, lines.at(-1)]).toEqual([0, "43 passed, 0 failed, 2 skipped"]);
    const closing = lines.slice(lines.findLastIndex((line) => line.startsWith("What ran, in "))).join("\n");
    expect(closing).toMatch(/npm ci .* \d+ s/);
    expect(closing).toMatch(/npm test +\d+ s {2}40 passed, 0 failed, 2 skipped/);
    expect(closing).toMatch(/npm run proofs +\d+ s {2}3 passed, 0 failed/);
    expect(closing).toContain("note: lucky");
  });

  it("runs the proofs after failed tests, and fails", async () => {
    const { code, lines } = await runCi({ test: "echo '4 passed, 2 failed'; exit 1", proofs: passes(3) });
    expect([code, lines.at(-1)]).toEqual([1, "7 passed, 2 failed"]);
  });

  it("fails with a step that ends badly without having counted a failure", async () => {
    const { code, lines } = await runCi({ test: `${passes(5)}; exit 3`, proofs: "exit 1" });
    expect([code, lines.at(-1)]).toEqual([1, "5 passed, 2 failed"]);
  });

  it("says the line when it is ended from outside, too", async () => {
    const { lines } = await runCi({
      test: "kill -TERM $(ps -o ppid= -p $(ps -o ppid= -p $$)); sleep 3600",
      proofs: passes(3),
    });
    expect(lines.at(-1)).toBe("0 passed, 1 failed");
  });

  it("ends a step that hangs, with all it started, and still says the line", async () => {
    const hang = `(trap '' TERM; sleep 3600) & sleep 3600`;
    const { code, lines } = await runCi({ test: hang, proofs: hang }, { HEADWAY_CI_LIMIT_S: "3" });
    expect([code, lines.at(-1)]).toEqual([1, "0 passed, 2 failed"]);
    expect(lines.join("\n")).toMatch(/npm test +\d+ s {2}ended after 3 s in all/);
  });
});
