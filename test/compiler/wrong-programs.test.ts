import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { filesMatching, repo } from "../../tools/source.ts";

/**
 * Wrong programs, and the words by which the compiler refuses each. A program names them in its first line: `// says: …`.
 * All are compiled in one go.
 */
const folder = "test/compiler/wrong";
const programs = filesMatching(/^test\/compiler\/wrong\/.*\.ts$/)
  .map(({ path }) => ({ path, name: path.slice(folder.length + 1, -3) }))
  .filter(({ name }) => name !== "shop");

let complaints: ReadonlyMap<string, string>;

beforeAll(async () => {
  const tsc = join(repo, "node_modules/.bin/tsc");
  const said = await promisify(execFile)(tsc, ["-p", join(repo, folder), "--pretty", "false"], {
    cwd: repo,
  }).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
  complaints = byFile(said);
}, 60_000);

describe("the compiler refuses", () => {
  test("every program of the folder, and nothing else", () => {
    expect([...complaints.keys()].sort()).toEqual(programs.map(({ path }) => path).sort());
    expect(programs.length).toBeGreaterThanOrEqual(15);
  });

  test.each(programs)("$name in words that help", ({ path }) => {
    const [, words] = /^\/\/ says: (.+)$/m.exec(readFileSync(join(repo, path), "utf8")) ?? [];
    expect(words, `${path} does not say what the compiler should say`).toBeTruthy();
    expect(complaints.get(path)).toContain(words);
  });

  test.each(programs)("$name once, so that no other complaint hides the cause", ({ path }) => {
    expect(complaints.get(path)?.match(/: error TS/g)).toHaveLength(1);
  });
});

/** The compiler's words by file; indented lines belong to the complaint above. */
function byFile(said: string): Map<string, string> {
  const found = new Map<string, string>();
  let path = "";
  for (const line of said.split("\n").filter((each) => each !== "")) {
    path = /^(\S.*?)\(\d+,\d+\): error/.exec(line)?.[1] ?? path;
    found.set(path, `${found.get(path) ?? ""}${line}\n`);
  }
  return found;
}
