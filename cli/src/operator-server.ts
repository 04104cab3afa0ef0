import { mkdir } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mayEnter, type Operator, readToken, type Sharing } from "@headway/engine/operate";

export interface OperatorServerOptions {
  readonly operator: Operator;
  /** Whether work can be done: the database answers, and we are not about to stop. */
  readonly isReady: () => Promise<boolean>;
  /** The door of an embedded database is on the same address. */
  readonly sharing: Sharing | null;
  readonly data: string;
  readonly host: string;
  readonly port: number;
}

export interface OperatorServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * What operators can see and do, over HTTP, for whoever has the token in the data folder:
 *
 *     GET  /healthz               200 while the process lives; needs no token, tells nothing
 *     GET  /readyz                200 while it can work, 503 otherwise
 *     POST /api/operate/explain   a JSON array of arguments → the answer as JSON, or one object a line
 */
export async function startOperatorServer(options: OperatorServerOptions): Promise<OperatorServer> {
  const { sharing, host, port } = options;
  // For a database on a server no door has made the folder.
  if (!sharing) await mkdir(options.data, { recursive: true, mode: 0o700 });
  const token = sharing?.token ?? (await readToken(options.data));
  const server = sharing?.server ?? createServer();
  server.on("request", (request, response) => {
    answer(request, response, options, token).catch((error: unknown) => {
      if (!response.headersSent) reply(response, 500, { error: sentence(error) });
      else response.destroy();
    });
  });
  if (!sharing) await listen(server, port, host);
  const url = sharing?.url ?? `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: async () => {
      if (!sharing) await new Promise((resolve) => server.close(resolve));
    },
  };
}

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { operator, isReady }: OperatorServerOptions,
  token: string,
): Promise<void> {
  const path = new URL(request.url ?? "/", "http://here").pathname;
  if (path === "/healthz") return reply(response, 200, { healthy: true });
  if (path === "/readyz") {
    const ready = await isReady();
    return reply(response, ready ? 200 : 503, { ready });
  }
  if (!mayEnter(request, token)) {
    return reply(response, 401, {
      error: 'Send "Authorization: Bearer TOKEN"; the token is in the data folder.',
    });
  }
  const verb = /^\/api\/operate\/(\w+)$/.exec(path)?.[1];
  if (!verb || !Object.hasOwn(operator, verb)) {
    const verbs = Object.keys(operator).join(", ");
    return reply(response, 404, {
      error: `There is no ${path}; POST /api/operate/VERB with one of: ${verbs}.`,
    });
  }
  if (request.method !== "POST") return reply(response, 405, { error: "Use POST." });
  const given = await readArguments(request);
  if (typeof given === "string") return reply(response, 400, { error: given });
  const act = operator[verb as keyof Operator] as (...args: readonly unknown[]) => unknown;
  await send(response, await act(...given));
}

const bodyBytesMax = 1024 * 1024;

/** A sentence: what is wrong with them. */
async function readArguments(request: IncomingMessage): Promise<readonly unknown[] | string> {
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? "")) return "Send application/json.";
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > bodyBytesMax) return "The arguments are larger than 1 MiB.";
    parts.push(part as Buffer);
  }
  try {
    const given: unknown = JSON.parse(Buffer.concat(parts).toString("utf8") || "[]", reviveDate);
    return Array.isArray(given) ? given : "Send the arguments as a JSON array.";
  } catch (error) {
    return `The arguments are not JSON: ${(error as Error).message}`;
  }
}

const isoMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const reviveDate = (_: string, value: unknown): unknown =>
  typeof value === "string" && isoMoment.test(value) ? new Date(value) : value;

async function send(response: ServerResponse, result: unknown): Promise<void> {
  if (!isStream(result)) return reply(response, 200, result ?? null);
  response.writeHead(200, { ...headers, "content-type": "application/x-ndjson" });
  for await (const one of result) response.write(`${JSON.stringify(one)}\n`);
  response.end();
}

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { ...headers, "content-type": "application/json" });
  response.end(`${JSON.stringify(body)}\n`);
}

const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));
