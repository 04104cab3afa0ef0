import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { doors, exportsOf } from "./api-page.ts";
import { referencePages } from "./reference.ts";
import { repo } from "./source.ts";

const command = "node --conditions=@headway/source --import tsx tools/reference.ts";

it("every reference page says what the code says", async () => {
  for (const { path, text } of await referencePages()) {
    let written = "";
    try {
      written = readFileSync(join(repo, path), "utf8");
    } catch {
      // It was never made.
    }
    expect(written, `run ${command}`).toBe(text);
  }
});

const options = /(Options?|Filter|Change|Paging|DryRun|StageSettings)$|^App|^Lent$|^Receiver$/;

it.each(doors)(
  "every export and option of $door has a doc comment, and every value an example",
  ({ door }) => {
    const complaints = exportsOf(door).flatMap(({ name, kind, about, example, members }) => [
      ...(about === "" ? [`${name} has no doc comment.`] : []),
      ...(kind !== "type" && example === null ? [`${name} has no @example.`] : []),
      ...(options.test(name)
        ? members.flatMap((one) => (one.about === "" ? [`${name}.${one.name} has no doc comment.`] : []))
        : []),
    ]);
    expect(complaints).toEqual([]);
  },
);

it("every schema of an event is one that the code announces or takes", async () => {
  const made = new Set((await referencePages()).map(({ path }) => path));
  const strangers = readdirSync(join(repo, "docs/reference/schemas/events")).filter(
    (name) => !made.has(`docs/reference/schemas/events/${name}`),
  );
  expect(strangers, "delete them").toEqual([]);
});
