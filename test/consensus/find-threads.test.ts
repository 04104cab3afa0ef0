import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Consensus, feed, readSettings, startConsensus } from "@headway/consensus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messages } from "../../pipelines/consensus/src/collections.ts";
import { corpora, corporaAbsent } from "../../pipelines/consensus/test/archive-headers.ts";
import { findQuestions } from "./find-questions.ts";

const places = {
  tomoyo: "list-tomoyo/tomoyo-users-en.mbox",
  bpf: "list-bpf-ietf/bpf-ietf-2023H1.dev.mbox",
  twisted: "list-twisted-python/2005-May.txt",
} as const;

/** A thread in a list of results: its subject without prefixes and tags. */
const threadOf = (subject: string): string =>
  subject.replace(/^(?:\s*(?:re|fw|fwd)\s*:|\s*\[[^\]]*\])+\s*/gi, "");

const firstFive = (subjects: readonly string[]): readonly string[] =>
  [...new Set(subjects.map(threadOf))].slice(0, 5);

interface Text {
  readonly subject: string;
  readonly words: readonly string[];
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Plain BM25 over messages (k1 1.2, b 0.75), the usual measure of a search by words. */
function makeBm25(texts: readonly Text[]): (asks: string) => readonly string[] {
  const counts = texts.map(({ words }) => {
    const found = new Map<string, number>();
    for (const word of words) found.set(word, (found.get(word) ?? 0) + 1);
    return found;
  });
  const mean = texts.reduce((sum, { words }) => sum + words.length, 0) / texts.length;
  const idf = (word: string): number => {
    const having = counts.filter((found) => found.has(word)).length;
    return Math.log(1 + (texts.length - having + 0.5) / (having + 0.5));
  };
  return (asks) => {
    const asked = [...new Set(wordsOf(asks))].map((word) => [word, idf(word)] as const);
    const scored = texts.map(({ subject, words }, at) => {
      const score = asked.reduce((sum, [word, weight]) => {
        const times = counts[at]!.get(word) ?? 0;
        return sum + (weight * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * words.length) / mean));
      }, 0);
      return { subject, score };
    });
    return scored.sort((a, b) => b.score - a.score).map(({ subject }) => subject);
  };
}

describe.skipIf(corporaAbsent)("a search in the given lists", () => {
  const data = mkdtempSync(join(tmpdir(), "headway-find-"));
  let consensus: Consensus;
  beforeAll(async () => {
    const settings = readSettings({ HEADWAY_LIST_QUIET: "50ms", HEADWAY_THREAD_QUIET: "50ms" });
    consensus = await startConsensus({ data, settings });
    for (const [list, place] of Object.entries(places))
      await feed(consensus, [join(corpora, place)], { list });
    await consensus.engine.settled();
  });
  afterAll(async () => {
    await consensus.stop();
    rmSync(data, { recursive: true, force: true });
  });

  it("finds the right thread among the first five for 36 of 40 questions, more often than plain BM25", async () => {
    const texts: Text[] = [];
    for await (const { subject, clean } of consensus.engine.documents(messages))
      texts.push({ subject, words: wordsOf(`${subject} ${clean}`) });
    const bm25 = makeBm25(texts);
    const missed: string[] = [];
    let byWords = 0;
    for (const [asks, right] of findQuestions) {
      const isRight = (subjects: readonly string[]): boolean =>
        firstFive(subjects).some((subject) => right.test(subject));
      const hits = await consensus.search({ words: asks, limit: 60 });
      if (!isRight(hits.map(({ subject }) => subject))) missed.push(asks);
      if (isRight(bm25(asks))) byWords++;
    }
    const found = findQuestions.length - missed.length;
    expect(findQuestions).toHaveLength(40);
    expect(found, `BM25 ${byWords}; missed:\n${missed.join("\n")}`).toBeGreaterThanOrEqual(36);
    expect(found, `BM25 finds ${byWords}`).toBeGreaterThan(byWords);
  });
});
