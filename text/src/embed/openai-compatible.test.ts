import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { estimateTokens } from "./estimate-tokens.ts";
import { type EmbeddingServer, openEmbeddingServer } from "./openai-compatible.ts";

interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: { readonly model: string; readonly input: string[]; readonly [key: string]: unknown };
}
type Answer = (asked: Asked, response: ServerResponse) => void;

const key = "sk-very-secret";
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A real server with scripted answers, and an embedder for it. */
async function start(answer: Answer, options: Partial<EmbeddingServer> = {}) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(parts).toString("utf8"));
      const each = { path: request.url ?? "", headers: request.headers, body };
      asked.push(each);
      answer(each, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const embedder = openEmbeddingServer({ url: `http://${host}/v1`, model: "m", apiKey: key, ...options });
  return { asked, host, embedder };
}

const vectorOf = (text: string) => [text.length, 1, -0.5];
const json = (response: ServerResponse, value: unknown) => response.end(JSON.stringify(value));
const openAi: Answer = ({ body }, response) =>
  json(response, {
    object: "list",
    data: body.input
      .map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) }))
      .reverse(),
  });

async function failure(answer: Answer, options: Partial<EmbeddingServer> = {}, texts = ["a", "bb"]) {
  const { embedder } = await start(answer, options);
  return await embedder.embed(texts).then(
    () => expect.fail("it was answered"),
    (error: Error & Record<string, unknown>) => error,
  );
}

describe("a server that speaks OpenAI's protocol is asked", () => {
  it("for vectors as numbers, with the key, and its answer is put in order", async () => {
    const { embedder, asked } = await start(openAi);
    const vectors = await embedder.embed(["a", "bbbb", "cc"], { idempotencyKey: "task-7" });
    expect(vectors.map(([length]) => length)).toEqual([1, 4, 2]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      path: "/v1/embeddings",
      headers: { authorization: `Bearer ${key}`, "idempotency-key": "task-7" },
      body: { model: "m", input: ["a", "bbbb", "cc"], encoding_format: "float" },
    });
  });

  it("in batches, each with a key of its own", async () => {
    const { embedder, asked } = await start(openAi, { batchSize: 2 });
    const vectors = await embedder.embed(["a", "bb", "ccc", "dddd", "eeeee"], { idempotencyKey: "k" });
    expect(vectors.map(([length]) => length)).toEqual([1, 2, 3, 4, 5]);
    expect(asked.map(({ body }) => body.input.length)).toEqual([2, 2, 1]);
    expect(asked.map(({ headers }) => headers["idempotency-key"])).toEqual(["k", "k-2", "k-4"]);
  });

  it("not at all for no texts", async () => {
    const { embedder, asked } = await start(openAi);
    expect(await embedder.embed([])).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("with texts that it can read: no half characters, nothing empty", async () => {
    const { embedder, asked } = await start(openAi);
    await embedder.embed(["", "a\ud800b", "👍"]);
    expect(asked[0]?.body.input).toEqual([" ", "a\ufffdb", "👍"]);
  });

  it("with the password of the address as a header", async () => {
    const { host, asked } = await start(openAi);
    await openEmbeddingServer({ url: `http://ann:s%C3%A9same@${host}/v1/`, model: "m" }).embed(["a"]);
    expect(asked[0]?.path).toBe("/v1/embeddings");
    const [scheme, value] = asked[0]?.headers.authorization?.split(" ") ?? [];
    expect([scheme, Buffer.from(value ?? "", "base64").toString("utf8")]).toEqual(["Basic", "ann:sésame"]);
  });

  it("in Ollama's own protocol when the address ends with /api", async () => {
    const { host, asked } = await start(({ body }, response) =>
      json(response, { model: "m", embeddings: body.input.map(vectorOf) }),
    );
    const vectors = await openEmbeddingServer({ url: `http://${host}/api/`, model: "m" }).embed(["a", "bb"]);
    expect(vectors.map(([length]) => length)).toEqual([1, 2]);
    expect(asked[0]).toMatchObject({ path: "/api/embed", body: { model: "m", truncate: false } });
  });
});

describe("a refusal becomes a fault that the engine understands", () => {
  const refuse =
    (status: number, body = "", headers: Record<string, string> = {}): Answer =>
    (_, response) => {
      response.writeHead(status, headers).end(body);
    };

  it("429 waits for as long as the server asks", async () => {
    const thrown = await failure(refuse(429, "slow down", { "retry-after": "7" }));
    expect(thrown).toMatchObject({ status: 429, headers: { "retry-after": "7" } });
    expect(thrown.message).toBe("The embedding server answered 429 Too Many Requests: slow down");
  });

  it("503 with a date waits until then", async () => {
    const date = "Thu, 01 Jan 2026 00:01:00 GMT";
    const thrown = await failure(refuse(503, "", { "retry-after": date, "set-cookie": "a=b" }));
    expect(thrown).toMatchObject({ status: 503, headers: { "retry-after": date } });
    expect(Object.keys(thrown.headers as object)).toEqual(["retry-after"]);
  });

  it.each([400, 401, 404, 413, 500, 502])("%i is told by its number", async (status) => {
    expect(await failure(refuse(status))).toMatchObject({ status, headers: {} });
  });

  it("a long explanation is cut, and the key is not in it", async () => {
    const thrown = await failure(refuse(401, `{"error":"bad key ${key} ${"x".repeat(1_000_000)}"}`));
    expect(thrown.message.length).toBeLessThan(400);
    expect(JSON.stringify([thrown.message, thrown.stack, { ...thrown }])).not.toContain(key);
    const short = await failure(refuse(401, `bad key ${key}`));
    expect(short.message).toBe("The embedding server answered 401 Unauthorized: bad key ***");
  });

  it("a redirect is not followed, so that mail goes nowhere else", async () => {
    const other = await start(openAi);
    const thrown = await failure(refuse(307, "", { location: `http://${other.host}/v1/embeddings` }));
    expect(thrown).toMatchObject({ kind: "permanent", code: "embedding.redirected" });
    expect(other.asked).toEqual([]);
  });

  it("a server that is not there is an outage", async () => {
    const { embedder } = await start(openAi);
    for (const close of closing.splice(0)) await close();
    await expect(embedder.embed(["a"])).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });

  it("a connection that breaks in the middle of an answer is transient", async () => {
    const thrown = await failure((_, response) => {
      response.writeHead(200, { "content-length": "1000" }).write('{"data":[');
      response.socket?.destroySoon();
    });
    expect(thrown).toMatchObject({ cause: { code: "UND_ERR_SOCKET" } });
  });

  it("an answer that takes too long is given up", async () => {
    const thrown = await failure(() => undefined, { timeoutMs: 50 });
    expect(thrown.name).toBe("TimeoutError");
  });

  it("an answer that begins and never ends is given up as well", async () => {
    const thrown = await failure((_, response) => void response.write('{"data":['), { timeoutMs: 100 });
    expect(thrown.name).toBe("TimeoutError");
  });

  it("a caller who no longer wants an answer gets its own reason", async () => {
    const controller = new AbortController();
    const { embedder } = await start(() => controller.abort(new Error("the worker stops")));
    await expect(embedder.embed(["a"], { signal: controller.signal })).rejects.toThrow("the worker stops");
  });
});

describe("a garbled answer is never taken for vectors", () => {
  const rows =
    (...embeddings: unknown[]): Answer =>
    (_, response) =>
      json(response, { data: embeddings.map((embedding, index) => ({ index, embedding })) });

  it.each<[string, Answer]>([
    ["a page", (_, response) => response.end("<html>Welcome</html>")],
    ["nothing", (_, response) => response.end()],
    ["half of an answer", (_, response) => response.end('{"data":[{"embedding":[1,')],
    ["null", (_, response) => json(response, null)],
    ["a list", (_, response) => json(response, [1, 2])],
    ["too few vectors", rows([1, 2])],
    ["too many vectors", rows([1], [2], [3])],
    ["vectors of different lengths", rows([1, 2], [1, 2, 3])],
    ["empty vectors", rows([], [])],
    ["words instead of numbers", rows(["1", "2"], ["3", "4"])],
    ["null for a number", rows([1, null], [1, 2])],
    ["a number beyond all bounds", rows([1e300, 1], [1, 2])],
    ["Base64", rows("AACAPw==", "AACAPw==")],
    [
      "two answers for one text",
      (_, response) => json(response, { data: [0, 0].map((index) => ({ index, embedding: [1] })) }),
    ],
    [
      "places that were not asked for",
      (_, response) => json(response, { data: [5, 6].map((index) => ({ index, embedding: [1] })) }),
    ],
    ["null for a vector", (_, response) => json(response, { data: [null, null] })],
    ["words for vectors in Ollama's way", (_, response) => json(response, { embeddings: ["a", "b"] })],
  ])("%s", async (_, answer) => {
    const thrown = await failure(answer);
    expect(thrown).toMatchObject({ kind: "transient", code: "embedding.garbled" });
    expect(thrown.message.length).toBeLessThan(300);
  });

  it("an answer without end is cut off", async () => {
    let sent = 0;
    const thrown = await failure(
      (_, response) => {
        const part = Buffer.alloc(65_536, "1,");
        const more = () => {
          while (!response.destroyed && response.write(part)) sent += part.length;
          if (!response.destroyed) response.once("drain", more);
        };
        more();
      },
      { answerBytesMax: 1_000_000 },
    );
    expect(thrown).toMatchObject({ kind: "transient", code: "embedding.garbled" });
    expect(sent).toBeLessThan(50_000_000);
  });

  it("a server that changes its dimensions between two answers is not believed", async () => {
    let length = 3;
    const { embedder } = await start(({ body }, response) => {
      json(response, { embeddings: body.input.map(() => new Array(length++).fill(1)) });
    });
    await embedder.embed(["a"]);
    await expect(embedder.embed(["a"])).rejects.toMatchObject({ code: "embedding.garbled" });
  });
});

describe("tokens of an unknown model are estimated", () => {
  it("rather too many than too few", () => {
    const text = "I disagree with draft-ietf-42: 共识 👍";
    const { starts, ends } = estimateTokens(text);
    expect(starts.map((start, i) => text.slice(start, ends[i]))).toEqual([
      "I",
      "disag",
      "ree",
      "with",
      "draft",
      "-",
      "ietf",
      "-",
      "42",
      ":",
      "共",
      "识",
      "👍",
    ]);
  });

  it("a megabyte of anything is read once", () => {
    expect(estimateTokens("z".repeat(1_000_000)).starts).toHaveLength(200_000);
    expect(estimateTokens("\ud800".repeat(100_000)).starts).toHaveLength(100_000);
  });
});
