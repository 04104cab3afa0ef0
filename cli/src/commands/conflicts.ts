import type { ConflictRow } from "@headway/engine/operate";
import { withDesk } from "../desk.ts";
import { namingWords } from "../find-named.ts";
import type { Adding } from "../run.ts";
import { parseCount, sharedFlags } from "../shared-options.ts";
import { showRelative } from "../show-time.ts";
import { type Column, showCount, table } from "../terminal.ts";

const limitMax = 100_000;

export function addConflicts({ program, console }: Adding): void {
  program
    .command("conflicts")
    .description("List contents set aside: the id belongs to another origin")
    .option("--after <number>", "only after this one, to page on", "0")
    .option("--limit <number>", "how many", "50")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway conflicts
  headway conflicts --json | jq '.body'

The first content of an id stands until its origin withdraws it; then the one that is kept here takes its place.`,
    )
    .action(async (options) => {
      const limit = parseCount(options.limit, "--limit", limitMax);
      const after = options.after === "0" ? 0 : parseCount(options.after, "--after", Number.MAX_SAFE_INTEGER);
      const { rows, now } = await withDesk(options, async ({ operator }) => ({
        rows: await operator.conflicts({ after, limit }),
        now: operator.now(),
      }));
      if (options.json) return rows.forEach(console.writeJson);
      const [first] = rows;
      if (!first) return console.warn("No id was claimed by two origins.\n");
      console.write(`${table(rows, columnsAt(now), console.columns)}\n`);
      const words = namingWords({ collection: first.collection, stage: null, id: first.document });
      console.warn(
        `${showCount(rows.length, "conflict")}. See what stands with: headway documents ${words} --body\n`,
      );
      if (rows.length === limit)
        console.warn(`There may be more: headway conflicts --after ${rows.at(-1)?.id}\n`);
    });
}

const columnsAt = (now: Date): Column<ConflictRow>[] => [
  { title: "NUMBER", of: ({ id }) => String(id), align: "right" },
  { title: "COLLECTION", of: ({ collection }) => collection },
  { title: "DOCUMENT", of: ({ document }) => document },
  { title: "OFFERED BY", of: ({ stage, source }) => stage ?? source ?? "a source that is gone" },
  { title: "WHEN", of: ({ at }) => showRelative(at, now) },
  { title: "CONTENT", of: ({ body }) => JSON.stringify(body).slice(0, 200), flexible: true },
];
