import { afterEach, describe, expect, it } from "vitest";
import { aPost, debate } from "../../test/debates.ts";
import { hallucinating, honest, type Part, type StubModel, startStubModel } from "../../test/stub-llm.ts";
import { openLanguageModel } from "./llm.ts";
import type { Post } from "./post.ts";
import { verifySummary } from "./verify.ts";

const servers: StubModel[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function start(part: Part): Promise<StubModel> {
  const server = await startStubModel(part);
  servers.push(server);
  return server;
}

const key = "sk-very-secret-1234567890";
const given = {
  subject: "Retry limits",
  salient: [],
  signal: new AbortController().signal,
  idempotencyKey: "k1",
};
const open = (
  server: StubModel,
  more: { contextTokens?: number; timeoutMs?: number; baseUrl?: string } = {},
) => openLanguageModel({ baseUrl: server.baseUrl, model: "stub", apiKey: key, ...more });

const longThread: readonly Post[] = Array.from({ length: 60 }, (_, at) =>
  aPost(
    `Point number ${at} is about the topic ${"abcdefghij"[at % 10]}${at} of the limits we discuss here. ${"More words follow. ".repeat(12)}`,
    {
      id: `m${at}`,
      by: `Person ${"ABCDEFGHIJ"[at % 10]}`,
    },
  ),
);

describe("a language model that is honest", () => {
  it("gives sentences whose quotes are exact after verification", async () => {
    const server = await start(honest);
    const { kept, dropped } = verifySummary(await open(server).summarize(debate, given), debate);
    expect(dropped).toEqual([]);
    expect(kept.length).toBeGreaterThanOrEqual(4);
    for (const { message, start, end, quote } of kept.flatMap(({ citations }) => citations)) {
      expect(debate.find(({ id }) => id === message)?.clean.slice(start, end)).toBe(quote);
    }
  });

  it("reads every character of a thread that is larger than its context", async () => {
    const server = await start(honest);
    const posts = [
      ...longThread,
      aPost(`${"A very long mail goes on and on. ".repeat(900)}The end.`, { id: "long" }),
    ];
    await open(server, { contextTokens: 3_000 }).summarize(posts, given);
    const seen = server.questions.flatMap(({ data }) => data.mails ?? []);
    for (const [at, post] of posts.entries()) {
      const read = seen.filter(({ number }) => number === at + 1).map(({ text }) => text);
      expect(read.join("")).toBe(post.clean);
    }
    for (const { body } of server.questions) expect(JSON.stringify(body).length).toBeLessThan(3_000 * 4.5);
  });

  it("ends with at most twelve sentences, all from verified ones", async () => {
    const server = await start(honest);
    const sentences = await open(server, { contextTokens: 3_000 }).summarize(longThread, given);
    expect(sentences.length).toBeGreaterThanOrEqual(3);
    expect(sentences.length).toBeLessThanOrEqual(12);
    expect(verifySummary(sentences, longThread)).toEqual({ kept: sentences, dropped: [] });
    expect(server.questions.some(({ data }) => data.sentences)).toBe(true);
  });

  it("is asked the same question for the same thread, with the key in a header only", async () => {
    const server = await start(honest);
    await open(server).summarize(debate, given);
    await open(server).summarize(debate, given);
    const [one, two] = server.questions;
    expect(one?.body).toEqual(two?.body);
    expect(one?.headers["idempotency-key"]).toBe(two?.headers["idempotency-key"]);
    expect(one?.headers.authorization).toBe(`Bearer ${key}`);
    expect(JSON.stringify(one?.body)).not.toContain(key);
  });

  it("has no question to answer about a thread without words", async () => {
    const server = await start(honest);
    expect(await open(server).summarize([aPost("  \n ")], given)).toEqual([]);
    expect(server.questions).toEqual([]);
  });

  it("is asked in Ollama's own way when the address ends in /api", async () => {
    const server = await start(honest);
    const model = open(server, { baseUrl: server.baseUrl.replace("/v1", "/api/") });
    expect((await model.summarize(debate, given)).length).toBeGreaterThan(0);
    expect(server.questions[0]?.path).toBe("/api/chat");
    expect(server.questions[0]?.body.format).toMatchObject({ type: "object", required: ["sentences"] });
  });

  it.each([
    ["thoughts before it", (json: string) => `<think>{"no": 1}</think>\n${json}`],
    ["a fence around it", (json: string) => `Here you are:\n\`\`\`json\n${json}\n\`\`\`\nBye.`],
  ])("is understood with %s", async (_, wrap) => {
    const server = await start((question, asked) => {
      const reply = honest(question, asked) as { content: unknown };
      return { content: wrap(JSON.stringify(reply.content)) };
    });
    expect((await open(server).summarize(debate, given)).length).toBeGreaterThan(0);
  });
});

describe("a language model that makes things up", () => {
  it("leaves only what the thread bears out", async () => {
    const server = await start(hallucinating);
    const { kept, dropped } = verifySummary(await open(server).summarize(debate, given), debate);
    expect(kept.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Anna Lind says: I propose that we limit/),
    ]);
    expect(kept[0]?.citations[0]?.quote).toMatch(
      /^I propose that we limit retries to five attempts, because endless\n/,
    );
    expect(dropped).toHaveLength(8);
  });

  it("cannot bring new quotes into the choice among verified sentences", async () => {
    const server = await start((question, asked) =>
      question.data.mails ? honest(question, asked) : hallucinating(question, asked),
    );
    const sentences = await open(server, { contextTokens: 3_000 }).summarize(longThread, given);
    expect(sentences.length).toBeGreaterThan(0);
    expect(verifySummary(sentences, longThread).dropped).toEqual([]);
    expect(JSON.stringify(sentences)).not.toContain("Zelda");
  });
});

describe("a server that understands less", () => {
  it.each([
    ["json_schema", ["json_schema", "json_object"]],
    ["json_schema json_object", ["json_schema", "json_object", undefined]],
  ])("is spared %s, and is not asked for it again", async (refused, formats) => {
    const server = await start((question, asked) => {
      const type = question.body.response_format?.type ?? "none";
      if (!refused.includes(type)) return honest(question, asked);
      return {
        status: 400,
        body: JSON.stringify({ error: { message: `response_format ${type} is not supported` } }),
      };
    });
    const model = open(server);
    expect((await model.summarize(debate, given)).length).toBeGreaterThan(0);
    expect(server.questions.map(({ body }) => body.response_format?.type)).toEqual(formats);
    await model.summarize(debate, given);
    expect(server.questions).toHaveLength(formats.length + 1);
  });

  it("gets the newer name of the limit, and no temperature", async () => {
    const server = await start((question, asked) => {
      const unsupported = ["max_tokens", "temperature"].find((name) => name in question.body);
      if (unsupported === undefined) return honest(question, asked);
      return {
        status: 400,
        body: JSON.stringify({ error: { message: `Unsupported parameter: '${unsupported}'` } }),
      };
    });
    expect((await open(server).summarize(debate, given)).length).toBeGreaterThan(0);
    expect(server.questions.at(-1)?.body.max_completion_tokens).toBeGreaterThan(0);
  });
});

describe("an answer that was cut off", () => {
  const cutAbove =
    (mails: number): Part =>
    (question, asked) =>
      (question.data.mails?.length ?? 0) > mails
        ? { content: '{"sentences":[{"te', finish: "length" }
        : honest(question, asked);

  it("is asked for again in smaller windows", async () => {
    const server = await start(cutAbove(2));
    const sentences = await open(server).summarize(debate, given);
    expect(verifySummary(sentences, debate).kept.length).toBeGreaterThanOrEqual(3);
    const read = server.questions.filter(({ data }) => (data.mails?.length ?? 9) <= 2);
    expect(read.flatMap(({ data }) => data.mails ?? []).map(({ number }) => number)).toEqual([
      1, 2, 3, 4, 5, 6,
    ]);
  });

  it("is a passing fault when nothing is left to make smaller", async () => {
    const server = await start(cutAbove(0));
    await expect(open(server).summarize(debate, given)).rejects.toMatchObject({
      kind: "transient",
      code: "llm.cut",
    });
    expect(server.questions.length).toBeLessThan(10);
  });

  it("is prevented by smaller windows when the server says that the question is too long", async () => {
    const body = JSON.stringify({ error: { message: "This model's maximum context length is 512 tokens" } });
    const server = await start((question, asked) =>
      (question.data.mails?.length ?? 0) > 3 ? { status: 400, body } : honest(question, asked),
    );
    expect((await open(server).summarize(debate, given)).length).toBeGreaterThan(0);
  });
});

describe("a server that is rude", () => {
  const failing = async (part: Part, more = {}) => {
    const server = await start(part);
    const thrown: unknown = await open(server, { timeoutMs: 300, ...more })
      .summarize(debate, given)
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    return { thrown, asked: server.questions.length };
  };
  const status =
    (code: number, headers = {}, body = `{"error":{"message":"no, ${key} is bad"}}`): Part =>
    () => ({ status: code, headers, body });

  it.each<[string, Part, object]>([
    [
      "429 in seconds",
      status(429, { "retry-after": "7" }),
      { kind: "rate-limited", code: "http.429", retryAfterMs: 7_000 },
    ],
    [
      "429 until a date",
      status(429, { date: "Tue, 05 Mar 2024 10:00:00 GMT", "retry-after": "Tue, 05 Mar 2024 10:00:09 GMT" }),
      { kind: "rate-limited", retryAfterMs: 9_000 },
    ],
    ["500", status(500), { kind: "transient", code: "http.500", outage: false }],
    ["503", status(503), { kind: "transient", code: "http.503", outage: true, dependency: "summarizer" }],
    ["401", status(401), { kind: "permanent", code: "http.401" }],
    [
      "a missing model",
      status(404, {}, '{"error":"model not found"}'),
      { kind: "permanent", code: "http.404" },
    ],
    ["no answer", () => "hang", { kind: "transient", code: "llm.timeout", outage: false }],
    [
      "words",
      () => ({ content: "I would rather talk about cats." }),
      { kind: "transient", code: "llm.garbled" },
    ],
    [
      "half a JSON",
      () => ({ content: '{"sentences":[{"text":"a' }),
      { kind: "transient", code: "llm.garbled" },
    ],
    ["another shape", () => ({ content: { summary: "fine" } }), { kind: "transient", code: "llm.garbled" }],
    [
      "bad members",
      () => ({ content: { sentences: [{ text: 5 }] } }),
      { kind: "transient", code: "llm.garbled" },
    ],
    ["no protocol", status(200, {}, "<html>Welcome</html>"), { kind: "transient", code: "llm.garbled" }],
    ["a refusal", () => ({ content: "", refusal: "I can't." }), { kind: "permanent", code: "llm.refused" }],
    [
      "a filter",
      () => ({ content: "", finish: "content_filter" }),
      { kind: "permanent", code: "llm.refused" },
    ],
    ["a filtered question", status(400, {}, '{"error":{"code":"content_filter"}}'), { code: "llm.refused" }],
  ])(
    "that answers with %s makes a fault the engine can judge, without the key",
    async (_, part, expected) => {
      const { thrown, asked } = await failing(part);
      expect(thrown).toMatchObject(expected);
      expect(asked).toBeLessThanOrEqual(2);
      const { message, stack, cause } = thrown as Error;
      expect(`${message} ${stack} ${JSON.stringify(cause)} ${JSON.stringify(thrown)}`).not.toContain(key);
    },
  );

  it("that is not there is an outage of the summarizer", async () => {
    const server = await start(honest);
    await server.stop();
    await expect(open(server).summarize(debate, given)).rejects.toMatchObject({
      kind: "transient",
      outage: true,
      dependency: "summarizer",
      cause: expect.anything(),
    });
  });

  it("that redirects does not get the key carried elsewhere", async () => {
    const other = await start(honest);
    const { thrown } = await failing(status(307, { location: `${other.baseUrl}/chat/completions` }));
    expect(thrown).toMatchObject({ kind: "transient" });
    expect(other.questions).toEqual([]);
  });

  it("stops when the work is cancelled, with the reason that was given", async () => {
    const reason = new Error("stopping");
    const server = await start(() => "hang");
    const model = open(server);
    const signal = AbortSignal.abort(reason);
    await expect(model.summarize(debate, { ...given, signal })).rejects.toBe(reason);
  });
});

it("an address with a password in it is refused without repeating it", () => {
  expect(() => openLanguageModel({ baseUrl: "http://ann:hunter2@127.0.0.1/v1", model: "m" })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining("hunter2") }),
  );
});
