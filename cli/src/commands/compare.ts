import {
  type ComparedModel,
  type ComparedSummary,
  type Comparison,
  compareOn,
  listName,
  listThreads,
  openComparedModel,
  readComparedThread,
  totalsOf,
} from "@headway/consensus";
import { ownConsensus } from "../app/current-app.ts";
import { lookAtConsensus } from "../compose.ts";
import { exitCodes, Refusal } from "../exit-codes.ts";
import type { Adding } from "../run.ts";
import { parseCount, sharedFlags } from "../shared-options.ts";
import { type Console, oneLine, showNumber, table, wrap } from "../terminal.ts";

export function addCompare({ program, console, end }: Adding): void {
  program
    .command("compare")
    .description("Summarize the same threads by several models, with cost")
    .requiredOption("--model <name>", "a model, given twice or more; NAME, NAME@URL or extractive", collect)
    .option("--price <in/out>", "money for a million tokens in and out, in the order of the models", collect)
    .option("--threads <number>", "how many threads, the most interesting first", "5")
    .option("--list <name>", "only of this list", listName)
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `
Examples:
  headway compare --model extractive --model qwen3 --threads 5
  headway compare --model qwen3@http://127.0.0.1:11434/v1 --model gpt-5@https://api.openai.com/v1 --price 0/0 --price 1.25/10

A model is asked with HEADWAY_LLM_KEY at HEADWAY_LLM_URL, or at its own address. Nothing is stored: the choice is yours. Names of
results carry the version of the prompt (qwen3+prompt-1). Exit code 1: a model failed.`,
    )
    .action(async (options) => {
      const { settings } = ownConsensus("compare");
      const limit = parseCount(options.threads, "--threads", 1_000);
      if (options.model.length < 2)
        throw new Refusal("Give --model twice or more: there is nothing to compare.", exitCodes.usage);
      const prices = (options.price ?? []).map(parsePrice);
      const models = options.model.map((given, at) => modelOf(given, prices[at] ?? null, settings));
      const comparisons = await lookAtConsensus(options, async ({ engine: { database } }) => {
        const filter = { limit, order: "interesting" as const, ...(options.list && { list: options.list }) };
        const all: Comparison[] = [];
        for (const { id } of await listThreads(database, filter)) {
          const thread = await readComparedThread(database, id);
          if (!thread) continue;
          const signal = AbortSignal.timeout(threadTimeMs);
          all.push(await compareOn(thread, models, { signal, now: Date.now }));
          if (!options.json) tellComparison(all.at(-1) as Comparison, console);
        }
        return all;
      });
      const totals = totalsOf(comparisons);
      if (totals.some(({ faults }) => faults > 0)) end(exitCodes.refused);
      if (options.json) return console.writeJson({ comparisons, totals });
      if (totals.length === 0) return console.warn("No thread fits.\n");
      console.write(`${table(totals, columns, console.columns)}\n`);
    });
}

const threadTimeMs = 900_000;
const collect = (value: string, before: string[] = []): string[] => [...before, value];

function parsePrice(text: string): { in: number; out: number } {
  const [, one, other] = /^(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (one && other) return { in: Number(one), out: Number(other) };
  throw new Refusal(`--price is "${oneLine(text)}"; expected two numbers such as 1.25/10.`, exitCodes.usage);
}

function modelOf(
  given: string,
  price: ComparedModel["price"],
  settings: ReturnType<typeof ownConsensus>["settings"],
): ComparedModel {
  const opened = openComparedModel(given, price, settings);
  if (opened) return opened;
  throw new Refusal(
    `--model is "${oneLine(given)}"; give NAME@URL, or set HEADWAY_LLM_URL, or take the built-in: extractive.`,
    exitCodes.usage,
  );
}

const widthMax = 100;

function tellComparison({ subject, thread, summaries }: Comparison, console: Console): void {
  const width = Math.min(console.columns, widthMax);
  console.write(`${console.colors.bold(oneLine(subject) || "(no subject)")} ${console.colors.dim(thread)}\n`);
  for (const one of summaries) console.write(`${columnOf(one, console, width)}\n`);
  console.write("\n");
}

function columnOf(summary: ComparedSummary, { colors }: Console, width: number): string {
  const { model, sentences, dropped, fault, tokensIn, tokensOut, cost } = summary;
  const facts = `${sentences.length} kept, ${dropped.length} dropped, ${showNumber(tokensIn)} + ${showNumber(tokensOut)} tokens${cost === null ? "" : `, ${cost.toFixed(4)}`}`;
  return [
    `  ${colors.bold(oneLine(model))} ${colors.dim(facts)}`,
    ...(fault === null ? [] : [wrap(`failed: ${oneLine(fault)}`, width, "    ")]),
    ...sentences.map(({ text }) => wrap(`+ ${oneLine(text)}`, width, "    ")),
    ...dropped.map(({ text, problem }) => wrap(`- ${oneLine(text)} (${oneLine(problem)})`, width, "    ")),
  ].join("\n");
}

type Total = ReturnType<typeof totalsOf>[number];
const columns = [
  { title: "MODEL", of: ({ model }: Total) => model, flexible: true },
  { title: "THREADS", of: ({ threads }: Total) => showNumber(threads), align: "right" },
  { title: "KEPT", of: ({ sentences }: Total) => showNumber(sentences), align: "right" },
  { title: "DROPPED", of: ({ dropped }: Total) => showNumber(dropped), align: "right" },
  { title: "FAILED", of: ({ faults }: Total) => showNumber(faults), align: "right" },
  { title: "CALLS", of: ({ calls }: Total) => showNumber(calls), align: "right" },
  { title: "IN", of: ({ tokensIn }: Total) => showNumber(tokensIn), align: "right" },
  { title: "OUT", of: ({ tokensOut }: Total) => showNumber(tokensOut), align: "right" },
  { title: "COST", of: ({ cost }: Total) => (cost === null ? "–" : cost.toFixed(4)), align: "right" },
] as const;
