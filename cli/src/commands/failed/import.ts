import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { ImportedDead } from "@headway/engine/operate";
import { withDesk } from "../../desk.ts";
import { exitCodes, Refusal } from "../../exit-codes.ts";
import { sharedFlags } from "../../shared-options.ts";
import { oneLine, showCount, showNumber } from "../../terminal.ts";
import type { AddingFailed } from "./failed.ts";

const toldMax = 20;

export function addFailedImport({ group, console, end }: AddingFailed): void {
  const told = { count: 0 };
  group
    .command("import")
    .description("Put back what a purge took from dead letters, from an export")
    .argument("<file>", "an export; - reads it from the input")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .option("--why <text>", "the reason, for the audit")
    .option("--dry-run", "say what would be done, and change nothing")
    .addHelpText(
      "after",
      `
Examples:
  headway failed import failed.ndjson
  zcat failed.ndjson.gz | headway failed import -

Inputs and faults come back to dead letters that were purged and whose document is still there. What was requeued, has
died anew or was deleted since is left as it is, and said so. Doing it twice is the same as doing it once.
Exit codes: 0 all of them are there, 1 some could not be restored.`,
    )
    .action(async (place, options) => {
      const { why, dryRun = false, json } = options;
      const stream = await openInput(place);
      const result = await withDesk(options, ({ operator }) =>
        operator.importDead(parsedLines(stream), {
          dryRun,
          ...(why !== undefined && { why }),
          onRefused({ line, letter, because }) {
            if (json) console.writeJson({ line, letter, refused: because });
            else if (told.count < toldMax)
              console.warn(`line ${line}${letter && ` (${oneLine(letter)})`}: ${because}\n`);
            told.count += 1;
          },
        }),
      ).finally(() => stream.destroy());
      if (told.count > toldMax && !json) console.warn(`… and ${showNumber(told.count - toldMax)} more\n`);
      if (json) console.writeJson(result);
      else console.write(`${resultText(result)}\n`);
      end(result.refused > 0 ? exitCodes.refused : exitCodes.done);
    });
}

function resultText({ restored, unchanged, refused, dryRun }: ImportedDead): string {
  const parts = [
    `${dryRun ? "Would restore" : "Restored"} ${showCount(restored, "dead letter")}`,
    ...(unchanged > 0 ? [`${showNumber(unchanged)} were there already`] : []),
    ...(refused > 0 ? [`${showNumber(refused)} could not be restored`] : []),
  ];
  return `${parts.join(", ")}.`;
}

async function openInput(place: string): Promise<Readable> {
  if (place === "-") return process.stdin;
  const stream = createReadStream(place);
  await once(stream, "open").catch((error: Error) => {
    throw new Refusal(`The export cannot be read: ${error.message}`);
  });
  return stream;
}

/** A line without JSON is passed on as text, and refused as a dead letter. */
async function* parsedLines(stream: Readable): AsyncGenerator<unknown> {
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    try {
      yield JSON.parse(line);
    } catch {
      yield line;
    }
  }
}
