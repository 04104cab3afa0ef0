import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { seedRequirements } from "./seed-requirements.ts";
import { repo } from "./source.ts";

const read = (path: string) => (existsSync(join(repo, path)) ? readFileSync(join(repo, path), "utf8") : "");
const rows = Object.entries(seedRequirements).flatMap(([number, all]) =>
  all.map((row, at) => ({ name: `${number}.${at + 1}`, ...row })),
);

describe("requirements of the seeds", () => {
  it("each has evidence that exists", () => {
    const commands = read("docs/reference/commands.md");
    const missing = rows.flatMap(({ name, shown }) => {
      if ("test" in shown && !read(shown.test).includes(shown.title))
        return [`${name}: ${shown.test} ${shown.title}`];
      if ("command" in shown && !commands.includes(`## ${shown.command}\n`))
        return [`${name}: ${shown.command}`];
      if ("page" in shown && !existsSync(join(repo, shown.page))) return [`${name}: ${shown.page}`];
      return [];
    });
    expect(missing).toEqual([]);
  });

  it("no more are open than there were", () => {
    expect(rows.filter(({ shown }) => "open" in shown).length).toBeLessThanOrEqual(21);
  });
});
