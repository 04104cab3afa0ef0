import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Behaviour of an embedding server. */
export type Mood = "answers" | "hangs" | "is down";

export interface MoodyEmbedder {
  readonly url: string;
  /** Resolves at the first request from now on. */
  asked(): Promise<void>;
  become(mood: Mood): void;
  close(): Promise<void>;
}

/** The only available model. */
const model = "tide-embed-1";

/** A real HTTP server with OpenAI's protocol and changing health. */
export async function startMoodyEmbedder(): Promise<MoodyEmbedder> {
  let mood: Mood = "answers";
  let onAsked: () => void = () => undefined;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    const reply = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (request.method !== "POST") return reply(mood === "answers" ? 200 : 503, { data: [] });
      onAsked();
      if (mood === "hangs") return undefined;
      if (mood === "is down") return reply(503, { error: "out of memory" });
      const asked = JSON.parse(Buffer.concat(parts).toString("utf8")) as { model: string; input: string[] };
      if (asked.model !== model) return reply(400, { error: `there is no model ${asked.model} here` });
      const data = asked.input.map((text, index) => ({ index, embedding: [text.length, 1, 2, 3] }));
      return reply(200, { data });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: () => new Promise((resolve) => (onAsked = resolve)),
    become(next) {
      mood = next;
      // Callers still waiting for the old server get no answer.
      server.closeAllConnections();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
