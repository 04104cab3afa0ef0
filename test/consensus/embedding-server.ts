import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface EmbeddingStub {
  readonly url: string;
  /** Texts requested so far. */
  readonly texts: readonly string[];
  close(): Promise<void>;
}

/** A real HTTP server with OpenAI's protocol; its vectors follow from the model's name and the text. */
export async function startEmbeddingServer(): Promise<EmbeddingStub> {
  const texts: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { model, input } = JSON.parse(Buffer.concat(parts).toString("utf8"));
      texts.push(...input);
      const data = input.map((text: string, index: number) => ({ index, embedding: vectorOf(model, text) }));
      response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    texts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const vectorOf = (model: string, text: string): number[] =>
  [...createHash("sha256").update(`${model}\n${text}`).digest().subarray(0, 8)].map((byte) => byte - 127.5);
