import { openStaticModel } from "@headway/text";
import { beforeAll, describe, expect, it } from "vitest";
import {
  bc3IsHere,
  type JudgedSentence,
  type JudgedThread,
  judgedOf,
  readBc3,
  scoreChoice,
} from "../../test/bc3.ts";
import { extractSummary, wordsDefault } from "./extract.ts";
import { verifySummary } from "./verify.ts";

/** Chooses as many sentences as our summary has. */
type Baseline = (thread: JudgedThread) => readonly JudgedSentence[];

const baselines: Record<string, Baseline> = {
  first: ({ sentences }) => sentences,
  longest: ({ sentences }) => [...sentences].sort((a, b) => b.words - a.words),
  "first of each message": ({ sentences }) => {
    const places = new Map<number, number>();
    const placed = sentences
      .filter(({ words }) => words > 4)
      .map((sentence) => {
        const place = places.get(sentence.post) ?? 0;
        places.set(sentence.post, place + 1);
        return { sentence, place };
      });
    return placed.sort((a, b) => a.place - b.place).map(({ sentence }) => sentence);
  },
  random: ({ sentences }) => {
    let seed = 20_240_305;
    const drawn = sentences.map((sentence) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return { sentence, seed };
    });
    return drawn.sort((a, b) => a.seed - b.seed).map(({ sentence }) => sentence);
  },
  "best possible": ({ sentences }) => [...sentences].sort((a, b) => b.votes - a.votes),
};

/** Sentences in order, without those too long for the remaining words. */
function upTo(wordsMax: number, sentences: readonly JudgedSentence[]): readonly JudgedSentence[] {
  let left = wordsMax;
  return sentences.filter(({ words }) => {
    const fits = words <= left;
    if (fits) left -= words;
    return fits;
  });
}

describe.skipIf(!bc3IsHere)(
  "what readers of BC3 threads would choose (skipped where the corpora are absent)",
  () => {
    const recalls = new Map<string, number>();

    beforeAll(async () => {
      const threads = readBc3();
      const { embed } = openStaticModel();
      const add = (name: string, { recall }: { recall: number }) =>
        recalls.set(name, (recalls.get(name) ?? 0) + recall / threads.length);
      for (const thread of threads) {
        const summary = await extractSummary(thread.posts, { embed: (texts) => embed(texts) });
        expect(verifySummary(summary, thread.posts)).toEqual({ kept: summary, dropped: [] });
        const cited = summary.flatMap(({ citations }) => citations);
        const chosen = judgedOf(
          thread,
          cited.map(({ message, start, end }) => ({ post: Number(message) - 1, start, end })),
        );
        add("ours", scoreChoice(thread, chosen));
        const words = chosen.reduce((sum, sentence) => sum + sentence.words, 0);
        expect(words).toBeLessThanOrEqual(wordsDefault + 10);
        const equal = upTo(words, baselines["first of each message"]!(thread));
        add("first of each message, equal words", scoreChoice(thread, equal));
        for (const [name, order] of Object.entries(baselines)) {
          add(name, scoreChoice(thread, order(thread).slice(0, chosen.length)));
        }
      }
    });

    it.each(["first", "longest", "random"])("is met better than by as many of the %s sentences", (name) => {
      expect(recalls.get("ours")).toBeGreaterThan(recalls.get(name)!);
    });

    it("is met better than by the first sentences of each message at equal words", () => {
      expect(recalls.get("ours")).toBeGreaterThan(recalls.get("first of each message, equal words")! + 0.05);
    });

    it("is met at least to seven tenths of what is possible with as many sentences", () => {
      expect(recalls.get("ours")! / recalls.get("best possible")!).toBeGreaterThan(0.7);
    });
  },
);
