import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Consensus, feed, readSettings, startConsensus } from "@headway/consensus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerByQuotes } from "../../pipelines/consensus/src/ask/answer.ts";
import { messages } from "../../pipelines/consensus/src/collections.ts";
import { corpora, corporaAbsent } from "../../pipelines/consensus/test/archive-headers.ts";
import { type AskedQuestion, askedQuestions, heldBackQuestions } from "./ask-questions.ts";

const places = {
  tomoyo: "list-tomoyo/tomoyo-users-en.mbox",
  bpf: "list-bpf-ietf/bpf-ietf-2023H1.dev.mbox",
  twisted: "list-twisted-python/2005-May.txt",
} as const;

describe.skipIf(corporaAbsent)("answers from the given lists", () => {
  const data = mkdtempSync(join(tmpdir(), "headway-ask-"));
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

  /** Questions without a right answer; every quote is held against its mail. */
  async function wrongOf(questions: readonly AskedQuestion[]): Promise<string[]> {
    const archive = { database: consensus.engine.database, search: consensus.search };
    const wrong: string[] = [];
    for (const { list, asks, says } of questions) {
      const { quotes } = await answerByQuotes(archive, asks);
      const isRight = says
        ? quotes.some((one) => one.list === list && says.test(one.quote))
        : quotes.length === 0;
      if (!isRight)
        wrong.push([asks, ...quotes.map(({ score, quote }) => `  ${score.toFixed(2)} ${quote}`)].join("\n"));
      for (const { message, start, end, quote, thread } of quotes) {
        expect((await consensus.engine.read(messages, message))?.clean.slice(start, end)).toBe(quote);
        expect(thread).not.toBeNull();
      }
    }
    return wrong;
  }

  it("quote the words that answer, and refuse where no mail says it", async () => {
    const wrong = await wrongOf(askedQuestions);
    expect(askedQuestions).toHaveLength(40);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(3);
    const refused = askedQuestions.filter(({ says }) => says === null);
    expect(refused).toHaveLength(10);
    expect(wrong.filter((one) => refused.some(({ asks }) => one.startsWith(asks)))).toEqual([]);
  });

  it("hold for questions that nothing was fitted on", async () => {
    const wrong = await wrongOf(heldBackQuestions);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(2);
  });
});
