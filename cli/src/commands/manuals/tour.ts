import { type FindingLine, readOf, sampleManualPath } from "@headway/manuals";
import type { SharedOptions } from "../../shared-options.ts";
import { type Console, oneLine, wrap } from "../../terminal.ts";
import { deadLines, interruptible } from "../ingest.ts";
import { exitCodeOf, ingestManuals, summaryOf } from "./ingest.ts";
import { withManuals } from "./open.ts";
import { tellAnswer } from "./search.ts";

const sampleQuestion = "what does E-117 mean?";

/** `npm start -- --manuals`: a sample manual, or the reader's own, from its bytes to an answer with its page. */
export async function tourManuals(
  places: readonly string[],
  options: SharedOptions,
  console: Console,
): Promise<number> {
  const own = places.length > 0;
  console.warn(
    own
      ? "Headway reads your manuals: open → read → plan → excerpt → harvest → audit\n"
      : "Headway reads the service manual of an invented tide gauge, some of it unreadable on purpose.\n",
  );
  return await interruptible((signal) =>
    withManuals(options, {}, async (manuals) => {
      const read = own ? places : [sampleManualPath()];
      const result = await ingestManuals(manuals, read, { signal });
      if (options.json) {
        console.writeJson(result);
        return exitCodeOf(result);
      }
      for (const { because } of result.refused) console.warn(`headway: ${oneLine(because)}\n`);
      for (const line of deadLines(result.dead, console)) console.write(`${line}\n`);
      if (!own) {
        console.write(`\n${console.colors.bold(sampleQuestion)}\n\n`);
        tellAnswer(await manuals.search({ words: sampleQuestion, limit: 2 }), console);
      }
      for (const { id, pages, codes } of result.manuals) {
        console.write(`${console.colors.bold(oneLine(id))}: ${pages} pages, ${codes} codes\n`);
        const findings = await readOf<FindingLine>(manuals.engine.database, "findings", id);
        for (const { says } of findings)
          console.write(`${wrap(`• ${oneLine(says)}`, Math.min(console.columns, 100), "  ")}\n`);
      }
      console.write(`\n${summaryOf(result)}\n${further}`);
      return exitCodeOf(result);
    }),
  );
}

const further = `
Look further:
  npx headway manuals codes            all codes with cause and remedy
  npx headway manuals search "words"   the page that answers
  npm start -- --manuals PATH          the same with your own PDFs; run it twice: nothing is done again
`;
