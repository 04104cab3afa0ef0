import type { Operator, TraceLine } from "@headway/engine/operate";
import { withDesk } from "../desk.ts";
import { findAllNamed } from "../find-named.ts";
import type { Adding } from "../run.ts";
import { parseCount, sharedFlags } from "../shared-options.ts";
import { oneLine, showNumber } from "../terminal.ts";

/** The log of a document out of the database, for installations without a store of logs. */
export function addLogs({ program, console }: Adding): void {
  program
    .command("logs")
    .description("Print the log lines of a document from the database")
    .argument("<document>", "a document's id, alone or as collection/id")
    .option("--collection <name>", "the collection the document is in")
    .option("--limit <number>", "how many lines", "200")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway logs messages/0193
  headway logs '<1234@example.org>' --json | jq 'select(.level == "error")'

Lines of the document alone, oldest first; "headway trace" tells of its ancestors and outputs too. With --json a line has the fields
timestamp, level, correlation_id, processor, document_id, message and metadata, as the log of "headway up" has. Attempts that
succeeded at once are one line; retries are there with their fault. Loki keeps everything: docs/operating/prometheus.md.`,
    )
    .action((text, { collection, limit, json, ...place }) =>
      withDesk(place, async ({ operator }) => {
        const most = parseCount(limit, "--limit", 100_000);
        let lines = 0;
        for (const named of await findAllNamed(operator, text, { collection }, "headway logs")) {
          const title = `${named.collection ?? named.stage}/${named.id}`;
          const story = await operator.trace({ subject: named.subject }, { limit: 100_000 });
          const own = story.lines.filter((line) => line.subject === title && line.kind !== "waiting");
          const request = await requestOf(operator, named);
          for (const line of own.slice(0, most)) {
            const entry = toLogLine(line, named.id, request);
            if (json) console.writeJson(entry);
            else
              console.write(
                `${entry.timestamp} ${entry.level.toUpperCase().padEnd(7)} ${entry.processor}: ${oneLine(entry.message)}\n`,
              );
          }
          lines += Math.min(own.length, most);
        }
        if (!json) console.warn(`${showNumber(lines)} lines.\n`);
      }),
    );
}

/** The request that brought the document in its present content; null for a group. */
async function requestOf(
  operator: Operator,
  { collection, id }: { readonly collection: string | null; readonly id: string },
): Promise<string | null> {
  if (collection === null) return null;
  const [row] = await operator.documents({ collection, ids: [id] }, { limit: 1 });
  return row?.request ?? null;
}

/** A line in the fields of the seeds' logs. */
interface LoggedLine {
  readonly timestamp: string;
  readonly level: "info" | "warning" | "error";
  readonly correlation_id: string | null;
  readonly processor: string;
  readonly document_id: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

function toLogLine(line: TraceLine, id: string, request: string | null): LoggedLine {
  const { at, kind, stage, attempts, outputs, deadLetter, word, text, tookMs } = line;
  return {
    timestamp: at.toISOString(),
    level: kind === "dead" ? "error" : kind === "fault" ? "warning" : "info",
    correlation_id:
      request === null || stage === null
        ? request && `req_${request}`
        : `req_${request}.stage_${stage}.retry_${Math.max(0, (attempts ?? 1) - 1)}`,
    processor: stage ?? "headway",
    document_id: id,
    message: messageOf(line),
    metadata: { kind, attempts, outputs, dead_letter: deadLetter, code: word, text, took_ms: tookMs },
  };
}

function messageOf({ kind, attempts, outputs, deadLetter, word, text }: TraceLine): string {
  const reason = [word, text].filter(Boolean).join(": ");
  switch (kind) {
    case "accepted":
    case "made":
    case "changed":
      return `${kind}${reason ? ` by ${reason}` : ""}`;
    case "fault":
      return `attempt ${attempts ?? "?"} failed: ${reason}`;
    case "dead":
      return `dead letter ${deadLetter ?? "?"}: ${reason}`;
    case "done":
      return `done with ${outputs ?? 0} outputs${(attempts ?? 1) > 1 ? ` after ${attempts} attempts` : ""}`;
    default:
      return `${kind}${reason ? `: ${reason}` : ""}`;
  }
}
