import { afterEach, describe, expect, it } from "vitest";
import { debate } from "../../test/debates.ts";
import { honest, type Part, type StubModel, startStubModel } from "../../test/stub-llm.ts";
import { builtInSummarizer, openBuiltIn } from "./choose.ts";
import { writeSummary } from "./fall-back.ts";
import { openLanguageModel } from "./llm.ts";

const servers: StubModel[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function write(part: Part, given: { isLast?: boolean; timeoutMs?: number; modelMsMax?: number } = {}) {
  const { isLast = true, timeoutMs = 300, ...more } = given;
  const server = await startStubModel(part);
  servers.push(server);
  const summarizer = openLanguageModel({ baseUrl: server.baseUrl, model: "stub", timeoutMs });
  const signal = new AbortController().signal;
  const asked = { subject: "Retry limits", salient: [], signal, idempotencyKey: "k1" };
  return await writeSummary(debate, asked, { summarizer, openOffline: openBuiltIn, isLast, ...more });
}

const status =
  (code: number): Part =>
  () => ({ status: code, body: "no" });
const invented: Part = () => ({
  content: {
    sentences: [{ text: "Zelda resigned.", citations: [{ message: 1, quote: "I resign today." }] }],
  },
});

describe("a language model with a bad answer in the last attempt", () => {
  it.each<[string, Part, string, RegExp]>([
    ["garbage", () => ({ content: "cats!" }), "llm.garbled", /no JSON/],
    ["an empty answer", () => ({ content: "" }), "llm.garbled", /an empty answer/],
    ["a page of a proxy", () => ({ status: 200, body: "<html>Hi</html>" }), "llm.garbled", /instead of/],
    ["sentences without support", invented, "llm.unsupported", /No message supports any of the 1 sent/],
    ["no sentences", () => ({ content: { sentences: [] } }), "llm.unsupported", /gave no sentence/],
    ["500", status(500), "http.500", /answered 500/],
    ["silence", () => "hang", "llm.timeout", /did not answer in 300 ms/],
    ["a refusal", () => ({ content: "", refusal: "No." }), "llm.refused", /refuses to summarize/],
  ])("is replaced by the offline summary after %s, with the reason", async (_, part, code, why) => {
    const written = await write(part);
    expect(written.model).toBe(builtInSummarizer);
    expect(written.sentences.length).toBeGreaterThan(0);
    expect(written.fallback).toEqual({
      model: expect.stringContaining("stub"),
      code,
      why: expect.stringMatching(why),
    });
  });

  it("that is too slow for the whole thread leaves time for the offline summary", async () => {
    const written = await write(() => "hang", { timeoutMs: 60_000, modelMsMax: 200 });
    expect(written.fallback).toMatchObject({ code: "llm.slow" });
    expect(written.sentences.length).toBeGreaterThan(0);
  });
});

it.each<[string, Part, object]>([
  ["garbage", () => ({ content: "cats!" }), { kind: "transient", code: "llm.garbled" }],
  ["500", status(500), { kind: "transient", code: "http.500" }],
  ["silence", () => "hang", { kind: "transient", code: "llm.timeout" }],
])("an attempt before the last ends with a fault after %s", async (_, part, fault) => {
  await expect(write(part, { isLast: false })).rejects.toMatchObject(fault);
});

it.each<[string, number, object]>([
  ["an outage", 503, { outage: true }],
  ["a limit", 429, { kind: "rate-limited" }],
  ["a wrong key", 401, { kind: "permanent" }],
])("%s is not replaced even in the last attempt", async (_, code, fault) => {
  await expect(write(status(code))).rejects.toMatchObject({ code: `http.${code}`, ...fault });
});

describe("the cost of a summary", () => {
  it("is the sum of all answers, the unreadable ones included", async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 7 };
    const { used } = await write(() => ({ status: 200, body: JSON.stringify({ choices: [], usage }) }));
    expect(used).toEqual({ calls: 2, tokensIn: 200, tokensOut: 14 });
  });

  it("is recorded without a fallback too", async () => {
    const written = await write(honest);
    expect(written.fallback).toBeUndefined();
    expect(written.used).toMatchObject({ calls: 1, tokensIn: expect.any(Number) });
  });
});
