import { withDesk } from "../desk.ts";
import type { Adding } from "../run.ts";
import { sharedFlags } from "../shared-options.ts";
import { showMoment, showRelative } from "../show-time.ts";
import { showCount, showNumber, table } from "../terminal.ts";

export function addSources({ program, console }: Adding): void {
  program
    .command("sources")
    .description("List where documents come from, and how many each source brings in")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway sources\n  headway sources --json | jq -r .name`)
    .action(async (options) => {
      const { rows, now } = await withDesk(options, async ({ operator }) => ({
        rows: await operator.sources(),
        now: operator.now(),
      }));
      const lines = rows.map(({ name, documents, first_seen_at }) => ({
        name,
        documents,
        firstSeenAt: first_seen_at,
      }));
      if (options.json) return lines.forEach(console.writeJson);
      if (lines.length === 0) {
        return console.warn('Nothing was brought in yet: read an archive with "headway ingest PATH".\n');
      }
      const columns = [
        { title: "SOURCE", of: ({ name }: Line) => name, flexible: true },
        { title: "DOCUMENTS", of: ({ documents }: Line) => showNumber(documents), align: "right" },
        { title: "FIRST SEEN", of: ({ firstSeenAt }: Line) => showMoment(firstSeenAt) },
        { title: "", of: ({ firstSeenAt }: Line) => showRelative(firstSeenAt, now) },
      ] as const;
      console.write(`${table(lines, columns, console.columns)}\n`);
      console.warn(`${showCount(lines.length, "source")}.\n`);
    });
}

interface Line {
  readonly name: string;
  readonly documents: number;
  readonly firstSeenAt: Date;
}
