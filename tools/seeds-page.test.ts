import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { seedRequirements } from "./seed-requirements.ts";
import { repo } from "./source.ts";

const read = (path: string) => (existsSync(join(repo, path)) ? readFileSync(join(repo, path), "utf8") : "");
const rows = Object.entries(seedRequirements).flatMap(([number, all]) =>
  all.map((row, at) => ({ name: `${number}.${at + 1}`, ...row })),
);

/** A title counts where a test begins, not in a comment: on the line of `it`, `describe` or a behaviour, or up to two lines below. */
function hasTest(file: string, title: string): boolean {
  const lines = file.split("\n");
  return lines.some(
    (line, at) =>
      line.includes(title) &&
      lines
        .slice(Math.max(0, at - 2), at + 1)
        .some((near) => /\b(?:it|describe|test|behaviour)\b.{0,40}\(|\]\)\(/.test(near)),
  );
}

describe("requirements of the seeds", () => {
  it("each has evidence that exists", () => {
    const commands = read("docs/reference/commands.md");
    const missing = rows.flatMap(({ name, shown }) => {
      if ("test" in shown && !hasTest(read(shown.test), shown.title))
        return [`${name}: ${shown.test} ${shown.title}`];
      if ("command" in shown && !commands.includes(`## ${shown.command}\n`))
        return [`${name}: ${shown.command}`];
      if ("page" in shown && !existsSync(join(repo, shown.page))) return [`${name}: ${shown.page}`];
      return [];
    });
    expect(missing).toEqual([]);
  });

  it("only these are open", () => {
    expect(rows.filter(({ shown }) => "open" in shown).map(({ name }) => name)).toEqual(["000.25"]);
  });

  it("a title in a comment is no evidence", () => {
    expect(hasTest("// retries are bounded\nconst a = 1;", "retries are bounded")).toBe(false);
    expect(hasTest('  it("retries are bounded, always", () => {', "retries are bounded")).toBe(true);
  });
});
