import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { rateLimited, transient } from "../engine/src/index.ts";
import { hashOf, type Luck, type Oracle } from "./pipeline.ts";

export const moods = ["well", "busy", "broken", "garbage", "silent", "breaks off"] as const;
export type Mood = (typeof moods)[number];

/** A server with controllable misbehaviour: busy, failing, nonsense, or silent. */
export interface OracleServer {
  readonly url: string;
  mood: Mood;
  /** Torn parcels can be opened from now on. */
  mended: boolean;
  /** Answers per mood. */
  readonly answers: ReadonlyMap<Mood, number>;
  close(): Promise<void>;
}

export async function startOracle(): Promise<OracleServer> {
  const answers = new Map<Mood, number>(moods.map((mood) => [mood, 0]));
  const unlucky = new Map<string, number>();
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    answers.set(oracle.mood, (answers.get(oracle.mood) ?? 0) + 1);
    if (request.url?.startsWith("/price")) return answerInMood(oracle.mood, request, response);
    if (request.url?.startsWith("/mended")) return reply(response, { mended: oracle.mended });
    // Luck belongs to the document and does not depend on moods: one to three tries fail.
    const document = new URL(request.url ?? "", "http://oracle").searchParams.get("of") ?? "";
    const tries = (unlucky.get(document) ?? 0) + 1;
    unlucky.set(document, tries);
    reply(response, { lucky: tries > 1 + (hashOf(document) % 3) });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const oracle = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: "well" as Mood,
    mended: false,
    answers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return oracle;
}

function answerInMood(mood: Mood, request: IncomingMessage, response: ServerResponse): void {
  switch (mood) {
    case "well": {
      const text = new URL(request.url ?? "", "http://oracle").searchParams.get("of") ?? "";
      reply(response, { price: hashOf(text) % 1_000 });
      return;
    }
    case "busy":
      return void response.writeHead(429, { "retry-after": "1" }).end();
    case "broken":
      return void response.writeHead(500).end("Something went wrong.");
    case "garbage":
      return void response.writeHead(200).end("<html>Welcome to our network</html>");
    case "silent":
      return;
    case "breaks off":
      response.writeHead(200, { "content-length": "1000" }).write('{"price":');
      return void setTimeout(() => response.destroy(), 20);
  }
}

const reply = (response: ServerResponse, answer: object): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));

const patienceMs = 1_000;

/** The services of the server, as seen by a worker. */
export function askServices(url: string): { oracle: Oracle; luck: Luck } {
  const oracle = asker(url, "oracle");
  const luck = asker(url, "luck");
  return {
    oracle: { price: async (text, signal) => (await oracle("price", text, signal)).price as number },
    luck: {
      lucky: async (document, signal) => (await luck("lucky", document, signal)).lucky === true,
      mended: async (signal) => (await luck("mended", "", signal)).mended === true,
    },
  };
}

function asker(url: string, dependency: string) {
  const options = { dependency, outage: true };
  return async (path: string, of: string, signal: AbortSignal): Promise<Record<string, unknown>> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(`${url}/${path}?of=${encodeURIComponent(of)}`, { signal: limit });
      text = await answer.text();
    } catch (cause) {
      signal.throwIfAborted();
      throw transient(`${dependency}.unreachable`, "There is no answer.", { ...options, cause });
    }
    if (answer.status === 429)
      throw rateLimited(`${dependency}.busy`, "Too many questions.", 500, { dependency });
    if (!answer.ok) throw transient(`${dependency}.broken`, `The answer is ${answer.status}.`, options);
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw transient(`${dependency}.garbage`, "The answer is nonsense.", { ...options, cause });
    }
  };
}
