import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repo } from "../../../tools/source.ts";

const folder = "test/behaviours/famous-bugs/";

interface Row {
  readonly bug: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Part of the title of a test in another file. */
  readonly title: string | null;
}

/** Rows of the table in the page: `| bug | … | … | [name](file) | ` or `[name](file): "title"`. */
function readRows(): Row[] {
  const page = readFileSync(join(repo, "docs/internals/famous-bugs.md"), "utf8");
  return [
    ...page.matchAll(/^\| ([\w-]+#\d+) \|.*\| \[[^\]]+\]\(\.\.\/\.\.\/([^)]+)\)(?:: "([^"]+)")? \|$/gm),
  ].map(([, bug, file, title]) => ({ bug: bug as string, file: file as string, title: title ?? null }));
}

it("the page of famous bugs names exactly the tests there are, and each is where it says", () => {
  const tested = readdirSync(join(repo, folder)).flatMap((name) => {
    const text = readFileSync(join(repo, folder, name), "utf8");
    return [...text.matchAll(/\bit\("([\w-]+#\d+): /g)].map(([, bug]) => `${bug} in ${folder}${name}`);
  });
  const rows = readRows();
  const own = rows.filter(({ title }) => title === null).map(({ bug, file }) => `${bug} in ${file}`);
  expect(own.toSorted()).toEqual([...new Set(tested)].toSorted());
  for (const { bug, file, title } of rows.filter((row) => row.title !== null))
    expect([bug, readFileSync(join(repo, file), "utf8").includes(title as string)]).toEqual([bug, true]);
  expect(new Set(rows.map(({ bug }) => bug)).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThanOrEqual(19);
});
