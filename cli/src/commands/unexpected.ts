import type { FindingLine } from "@headway/engine/operate";
import { withDesk } from "../desk.ts";
import { namingWords } from "../find-named.ts";
import type { Adding } from "../run.ts";
import { parseCount, sharedFlags } from "../shared-options.ts";
import { showRelative } from "../show-time.ts";
import { type Column, showCount, showNumber, table } from "../terminal.ts";

const limitMax = 100_000;

export function addUnexpected({ program, console }: Adding): void {
  program
    .command("unexpected")
    .description("List results with unexpected outputs, such as none")
    .option("--stage <name>", "only of this stage")
    .option("--after <subject>", "only after this subject, to page on", "0")
    .option("--limit <number>", "how many", "50")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway unexpected
  headway unexpected --stage parsing --json | jq -r '.id'

A stage declares its expectation (expects). An unexpected result is stored and counts as done; the finding stays until the
input changes or the stage is reprocessed with another result.`,
    )
    .action(async (options) => {
      const limit = parseCount(options.limit, "--limit", limitMax);
      const after = options.after === "0" ? 0 : parseCount(options.after, "--after", Number.MAX_SAFE_INTEGER);
      const { rows, now } = await withDesk(options, async ({ operator }) => ({
        rows: await operator.findings({ after, limit, stage: options.stage }),
        now: operator.now(),
      }));
      if (options.json) return rows.forEach(console.writeJson);
      const [first] = rows;
      if (!first) return console.warn("Every result is as its stage expects.\n");
      console.write(`${table(rows, columnsAt(now), console.columns)}\n`);
      const named = {
        collection: first.collection,
        stage: first.collection ? null : first.stage,
        id: first.id,
      };
      console.warn(
        `${showCount(rows.length, "unexpected result")}. See how one was made: headway explain ${namingWords(named)}\n`,
      );
      if (rows.length === limit)
        console.warn(`There may be more: headway unexpected --after ${rows.at(-1)?.subject}\n`);
    });
}

const columnsAt = (now: Date): Column<FindingLine>[] => [
  { title: "STAGE", of: ({ stage }) => stage },
  { title: "ID", of: ({ id }) => id, flexible: true },
  { title: "OUTPUTS", of: ({ outputs }) => showNumber(outputs), align: "right" },
  { title: "WHEN", of: ({ finishedAt }) => showRelative(finishedAt, now) },
  { title: "FINDING", of: ({ finding }) => finding, flexible: true },
];
