import { listName } from "@headway/consensus";
import { lookAtConsensus } from "../compose.ts";
import { Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { parseCount, parseDate, sharedFlags } from "../shared-options.ts";
import { oneLine, showDay, wrap } from "../terminal.ts";

export function addSearch({ program, console }: Adding): void {
  program
    .command("search")
    .description("Find passages by words and by meaning")
    .argument("<words...>", 'what to look for; "quoted phrase", or, -without')
    .option("--list <name>", "only of this list", listName)
    .option("--from <name>", "only by this author (part of a name or address)")
    .option("--since <date>", "only messages since then")
    .option("--until <date>", "only messages before then")
    .option("--limit <number>", "how many", "10")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText("after", `\nExamples:\n  headway search "key rotation" --from mara --since 2024-03`)
    .action(async (words, options) => {
      const { list, from, since, until, json } = options;
      const asked = words.join(" ").trim();
      if (asked === "") throw new Refusal('Say what to look for: headway search "words".', 2);
      const query = {
        words: asked,
        ...(list !== undefined && { list }),
        ...(from !== undefined && { from }),
        ...(since !== undefined && { since: parseDate(since, "--since") }),
        ...(until !== undefined && { until: parseDate(until, "--until") }),
        limit: parseCount(options.limit, "--limit", 1_000),
      };
      await lookAtConsensus(options, async (consensus) => {
        const hits = await consensus.search(query);
        if (consensus.meaning.kind === "missing") console.warn(`${consensus.meaning.because}\n`);
        if (json) return hits.forEach(console.writeJson);
        if (hits.length === 0) return console.warn("Nothing was found.\n");
        const { colors } = console;
        for (const hit of hits) {
          const who = oneLine(hit.from.name || hit.from.address);
          console.write(`${colors.bold(oneLine(hit.subject) || "(no subject)")}\n`);
          console.write(
            `${colors.dim(`${who}, ${showDay(hit.date)}, ${hit.list} · message ${hit.message}`)}\n`,
          );
          const snippet = wrap(hit.snippet, Math.min(console.columns, 100), "  ");
          console.write(`${snippet.replace(/«([^«»]*)»/g, (_, match: string) => colors.yellow(match))}\n\n`);
        }
      });
    });
}
