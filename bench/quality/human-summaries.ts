import { extractSummary } from "../../pipelines/consensus/src/summary/extract.ts";
import { verifySummary } from "../../pipelines/consensus/src/summary/verify.ts";
import {
  type JudgedSentence,
  type JudgedThread,
  judgedOf,
  readBc3,
  scoreChoice,
} from "../../pipelines/consensus/test/bc3.ts";
import { openStaticModel } from "../../text/src/embed/static-model.ts";
import type { Figure } from "./figures.ts";

/** Other ways to choose as many sentences as our summary has. */
const choices: Readonly<Record<string, (thread: JudgedThread) => readonly JudgedSentence[]>> = {
  "the first ones": ({ sentences }) => sentences,
  "the longest ones": ({ sentences }) => [...sentences].sort((a, b) => b.words - a.words),
  "random ones (mean of 50 draws)": ({ sentences }) => sentences,
  "the best possible": ({ sentences }) => [...sentences].sort((a, b) => b.votes - a.votes),
};

interface Score {
  recall: number;
  precision: number;
}

/** BC3: three readers each marked the sentences that they would put into a summary of a thread. */
export async function humanSummaryFigures(): Promise<readonly Figure[]> {
  const threads = readBc3();
  const { embed } = openStaticModel();
  const scores = new Map<string, Score>();
  const add = (name: string, { recall, precision }: Score) => {
    const sum = scores.get(name) ?? { recall: 0, precision: 0 };
    scores.set(name, {
      recall: sum.recall + recall / threads.length,
      precision: sum.precision + precision / threads.length,
    });
  };
  let dropped = 0;
  for (const thread of threads) {
    const summary = await extractSummary(thread.posts, { embed: (texts) => embed(texts) });
    dropped += verifySummary(summary, thread.posts).dropped.length;
    const spans = summary
      .flatMap(({ citations }) => citations)
      .map(({ message, start, end }) => ({ post: Number(message) - 1, start, end }));
    const chosen = judgedOf(thread, spans);
    add("ours", scoreChoice(thread, chosen));
    add("first of each", scoreChoice(thread, firstOfEachMail(thread, wordsIn(chosen))));
    for (const [name, order] of Object.entries(choices)) {
      if (name.startsWith("random")) add(name, drawOften(thread, chosen.length));
      else add(name, scoreChoice(thread, order(thread).slice(0, chosen.length)));
    }
  }
  const shown = (name: string) => {
    const { recall, precision } = scores.get(name)!;
    return `${(recall * 100).toFixed(1)} % / ${(precision * 100).toFixed(1)} %`;
  };
  const best = scores.get("the best possible")!.recall;
  const others = Object.keys(choices).filter((name) => !name.startsWith("the best"));
  return [
    {
      area: "summary",
      what: `${threads.length} BC3 threads: readers' wishes met / how wanted the chosen sentences are`,
      ours: shown("ours"),
      against: Object.keys(choices)
        .map((name) => `${name} ${shown(name)}`)
        .join("; "),
      met: others.every((name) => scores.get(name)!.recall < scores.get("ours")!.recall),
    },
    {
      area: "summary",
      what: "readers' wishes met at equal words (120 at most)",
      ours: shown("ours"),
      against: `the first sentences of each mail ${shown("first of each")}`,
      met: scores.get("ours")!.recall > scores.get("first of each")!.recall,
    },
    {
      area: "summary",
      what: "share of the best possible choice of as many sentences",
      ours: `${((scores.get("ours")!.recall / best) * 100).toFixed(1)} %`,
      against: "the sentences that most of the three readers marked",
      met: null,
    },
    {
      area: "summary",
      what: "BC3 sentences dropped because no message supports them",
      ours: String(dropped),
      against: "verifySummary; 0 asked",
      met: dropped === 0,
    },
  ];
}

const wordsIn = (sentences: readonly JudgedSentence[]): number =>
  sentences.reduce((sum, { words }) => sum + words, 0);

/** The first sentence of each mail, then the second of each, as long as words are left. */
function firstOfEachMail({ sentences }: JudgedThread, wordsMax: number): readonly JudgedSentence[] {
  const places = new Map<number, number>();
  const placed = sentences
    .filter(({ words }) => words > 4)
    .map((sentence) => {
      const place = places.get(sentence.post) ?? 0;
      places.set(sentence.post, place + 1);
      return { sentence, place };
    });
  let left = wordsMax;
  return placed
    .sort((a, b) => a.place - b.place)
    .map(({ sentence }) => sentence)
    .filter(({ words }) => {
      const fits = words <= left;
      if (fits) left -= words;
      return fits;
    });
}

function drawOften(thread: JudgedThread, size: number): Score {
  const draws = 50;
  let seed = 20_240_305;
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed;
  };
  const sum = { recall: 0, precision: 0 };
  for (let draw = 0; draw < draws; draw++) {
    const drawn = thread.sentences.map((sentence) => ({ sentence, at: next() })).sort((a, b) => a.at - b.at);
    const { recall, precision } = scoreChoice(
      thread,
      drawn.slice(0, size).map(({ sentence }) => sentence),
    );
    sum.recall += recall / draws;
    sum.precision += precision / draws;
  }
  return sum;
}
