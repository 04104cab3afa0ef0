import { type Answer, type AnswerQuote, answerQuestion, listName, openAnswerer } from "@headway/consensus";
import { ownConsensus } from "../app/current-app.ts";
import { lookAtConsensus } from "../compose.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { parseCount, parseDate, sharedFlags } from "../shared-options.ts";
import { type Console, oneLine, showDay, wrap } from "../terminal.ts";
import { shortId } from "./threads.ts";

export function addAsk({ program, console, end }: Adding): void {
  program
    .command("ask")
    .description("Answer a question with quotes from the archive")
    .argument("<question...>", "the question")
    .option("--list <name>", "only of this list", listName)
    .option("--since <date>", "only messages since then")
    .option("--until <date>", "only messages before then")
    .option("--limit <number>", "how many quotes", "3")
    .option("--no-model", "quotes only, also where a language model is set up")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway ask "Where are the policy files of TOMOYO 2.x?"
  headway ask "Why do shift operations use a mask?" --list bpf --since 2023-05

Every quote names its author, day and thread. With HEADWAY_LLM_URL a language model writes sentences above the quotes; a
sentence without words of a mail to support it is dropped. Exit code 1: the archive does not say it.`,
    )
    .action(async (words, options) => {
      const question = words.join(" ").trim();
      if (question === "")
        throw new Refusal('Say what you want to know: headway ask "Why …?".', exitCodes.usage);
      const { list, since, until } = options;
      const model = options.model ? openAnswerer(ownConsensus("ask").settings) : null;
      const answer = await lookAtConsensus(options, ({ engine, search }) =>
        answerQuestion({ database: engine.database, search }, question, {
          ...(list !== undefined && { list }),
          ...(since !== undefined && { since: parseDate(since, "--since") }),
          ...(until !== undefined && { until: parseDate(until, "--until") }),
          limit: parseCount(options.limit, "--limit", 50),
          model,
          signal: AbortSignal.timeout(modelTimeMs),
        }),
      );
      const isAnswered = answer.quotes.length + answer.sentences.length > 0;
      if (!isAnswered) end(exitCodes.refused);
      if (options.json) return console.writeJson({ answered: isAnswered, ...answer });
      if (answer.problem !== null)
        console.warn(`The language model gave no answer: ${oneLine(answer.problem)}\n`);
      if (isAnswered) return tellAnswer(answer, console);
      console.warn("The archive does not say it. Passages near the question: headway search WORDS\n");
    });
}

const modelTimeMs = 180_000;
const widthMax = 100;

function tellAnswer({ sentences, quotes, dropped }: Answer, console: Console): void {
  const width = Math.min(console.columns, widthMax);
  for (const { text, citations } of sentences) {
    console.write(`${wrap(oneLine(text), width)}\n`);
    for (const { quote, message } of citations)
      console.write(`${console.colors.dim(wrap(`“${oneLine(quote)}” (message ${message})`, width, "  "))}\n`);
  }
  if (dropped > 0) console.warn(`${dropped} sentences of the model had no support and were dropped.\n`);
  if (sentences.length > 0) console.write("\n");
  for (const quote of quotes) console.write(`${showQuote(quote, console, width)}\n\n`);
}

function showQuote(
  { quote, from, date, list, subject, thread, message }: AnswerQuote,
  console: Console,
  width: number,
): string {
  const who = oneLine(from.name || from.address);
  const place = `${showDay(date)}, ${oneLine(list)}: ${oneLine(subject) || "(no subject)"}`;
  const look = thread === null ? `message ${message}` : `headway report ${shortId(thread)}`;
  const words = quote
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => `  ${oneLine(line)}`)
    .join("\n");
  return [
    console.colors.bold(who),
    console.colors.dim(wrap(place, width)),
    words,
    console.colors.dim(look),
  ].join("\n");
}
