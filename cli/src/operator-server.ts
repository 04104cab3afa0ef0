import { once } from "node:events";
import { mkdir, realpath } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import {
  findAccessKey,
  isLoopback,
  mayReport,
  type Role,
  readAccessKeys,
  refuseForeignPage,
  type WebConsole,
} from "@headway/console";
import { type Database, DefinitionError, type TextFormat } from "@headway/engine";
import {
  callVerb,
  describeApi,
  mayEnter,
  readToken,
  refuseForeign,
  type Sharing,
  verbChanges,
  verbNames,
} from "@headway/engine/internal";
import type { Operator, VerbName } from "@headway/engine/operate";
import { answerErrors, isErrorPath } from "./error-routes.ts";
import { formatFor } from "./metrics-server.ts";
import { answerSources, isSourcePath } from "./source-routes.ts";
import { version } from "./version.ts";

export interface OperatorServerOptions {
  /** An operator for one caller, with the caller's name in the audit. */
  readonly operatorFor: (actor: string) => Operator;
  /** Whether work is possible: the database answers, and no stop is imminent. */
  readonly isReady: () => Promise<boolean>;
  /** The page for Prometheus. */
  readonly metrics: (format: TextFormat) => Promise<string>;
  /** The database of sources. */
  readonly database?: Database;
  /** Receives internal errors; the caller gets no details. */
  readonly onError?: (error: unknown) => void;
  /** The web console at all addresses that are not listed below; without it there is none. */
  readonly makeConsole?: (token: string) => WebConsole;
  /** Names of this server besides the loopback ones. */
  readonly hosts?: readonly string[];
  /** The door of an embedded database is on the same address. */
  readonly sharing: Sharing | null;
  readonly data: string;
  readonly host: string;
  readonly port: number;
}

export interface OperatorServer {
  readonly url: string;
  readonly console: WebConsole | null;
  close(): Promise<void>;
}

/**
 * What operators can see and do, over HTTP, for callers with the token in the data folder or an access key. `Headway-Actor: NAME`
 * says under which name the audit keeps an act; a caller with an access key has the name of the key.
 *
 *     GET  /healthz               200 while the process lives; needs no token, tells nothing
 *     GET  /readyz                200 while it can work, 503 otherwise, after a second at the latest
 *     GET  /metrics               series for Prometheus; needs no token while the address is on this machine only
 *     POST /api/operate/explain   a JSON array of arguments → the answer as JSON, or one object a line;
 *                                 400: an argument does not fit, and the answer says which;
 *                                 403: the verb changes something, and the key is a reader's
 *     GET  /api/openapi.json      all verbs with their arguments, as OpenAPI 3.1
 *     POST /api/errors            an error of another service; needs no token while the address is on this machine only
 *     GET  /api/errors, /api/stats   reported errors (`error-routes.ts`)
 *     GET  /api/sources, /api/sources/NAME   sources with their runs (`source-routes.ts`)
 *     POST /api/console-link      a link that enters the web console once, for holders of the token
 */
export async function startOperatorServer(options: OperatorServerOptions): Promise<OperatorServer> {
  const { sharing, host, port } = options;
  // For a database on a server no door has made the folder.
  if (!sharing) {
    await mkdir(options.data, { recursive: true, mode: 0o700 });
    await refuseForeign(await realpath(options.data));
  }
  const token = sharing?.token ?? (await readToken(options.data));
  const server = sharing?.server ?? createServer();
  const console = options.makeConsole?.(token) ?? null;
  const given = { ...options, isReady: withinASecond(options.isReady), token, console };
  server.on("request", (request, response) => {
    answer(request, response, given).catch((error: unknown) => {
      // The mistake of the caller is said; an error from inside may hold a statement or an address, and goes to the log.
      const mistake = error instanceof DefinitionError;
      if (!mistake) options.onError?.(error);
      if (response.headersSent) response.destroy();
      else if (mistake) reply(response, 400, { error: error.message });
      else reply(response, 500, { error: "It failed inside; the log of the process says why." });
    });
  });
  if (!sharing) await listen(server, port, host);
  const url = sharing?.url ?? `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    console,
    close: async () => {
      console?.close();
      if (!sharing) await new Promise((resolve) => server.close(resolve));
    },
  };
}

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });

const readyWithinMs = 1_000;

/** A probe has to be answered, even while the database hangs; and a hundred probes share one query. */
function withinASecond(isReady: () => Promise<boolean>): () => Promise<boolean> {
  let asked: Promise<boolean> | null = null;
  return async () => {
    asked ??= isReady()
      .catch(() => false)
      .finally(() => (asked = null));
    const patience = new AbortController();
    const late = setTimeout(readyWithinMs, false, { signal: patience.signal }).catch(() => false);
    return await Promise.race([asked, late]).finally(() => patience.abort());
  };
}

type Given = OperatorServerOptions & { readonly token: string; readonly console: WebConsole | null };

async function answer(request: IncomingMessage, response: ServerResponse, given: Given): Promise<void> {
  const { isReady, metrics, console, host, hosts = [] } = given;
  const url = new URL(request.url ?? "/", "http://here");
  const path = url.pathname;
  if (path === "/healthz") return reply(response, 200, { healthy: true });
  if (path === "/readyz") {
    const ready = await isReady();
    return reply(response, ready ? 200 : 503, { ready });
  }
  if (path === "/metrics" && (isLoopback(host) || (await callerOf(request, given))))
    return await replyMetrics(request, response, metrics);
  const foreign = refuseForeignPage(request, hosts);
  if (foreign) return reply(response, foreign.status, { error: foreign.error });
  if (isErrorPath(path)) return await replyErrors(request, response, url, given);
  const machine =
    path.startsWith("/api/operate/") ||
    (isSourcePath(path) && request.headers.authorization !== undefined) ||
    ["/api/console-link", "/api/openapi.json", "/metrics"].includes(path);
  if (console && !machine) return await console.handle(request, response);
  const caller = await callerOf(request, given);
  if (!caller) {
    return reply(response, 401, {
      error: 'Send "Authorization: Bearer TOKEN"; the token is in the data folder.',
    });
  }
  if (isSourcePath(path) && given.database) {
    if (caller.role === "reader" && request.method !== "GET")
      return reply(response, 403, { error: readersRefusal });
    const actor = caller.name ?? actorOf(request) ?? "a caller over HTTP";
    const { status, body } = await answerSources(request, url, { database: given.database, actor });
    return reply(response, status, body);
  }
  if (path === "/api/openapi.json") return reply(response, 200, describeApi(version));
  await answerCaller(path, request, response, { ...given, caller });
}

/** Services of this machine report without a key, as they always did; everything else needs one. */
async function replyErrors(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  given: Given,
): Promise<void> {
  const reports = request.method === "POST" && url.pathname === "/api/errors";
  const caller = await callerOf(request, given);
  if (!caller && !(reports && (isLoopback(given.host) || (await isReporter(request, given)))))
    return reply(response, 401, { error: 'Send "Authorization: Bearer TOKEN", or an access key.' });
  if (caller?.role === "reader" && request.method === "POST" && !reports)
    return reply(response, 403, {
      error: readersRefusal,
    });
  const actor = caller?.name ?? actorOf(request) ?? "a caller over HTTP";
  const { status, body } = await answerErrors(request, url, given.operatorFor(actor));
  reply(response, status, body as object);
}

async function answerCaller(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  { operatorFor, console, caller }: Given & { readonly caller: Caller },
): Promise<void> {
  const verb = /^\/api\/operate\/(\w+)$/.exec(path)?.[1];
  const isLink = path === "/api/console-link" && console !== null;
  if (!isVerb(verb) && !isLink) {
    return reply(response, 404, {
      error: `There is no ${path}; POST /api/operate/VERB with one of: ${verbNames.join(", ")}.`,
    });
  }
  if (request.method !== "POST") return reply(response, 405, { error: "Use POST." });
  if (caller.role === "reader" && (isLink || (isVerb(verb) && verbChanges(verb))))
    return reply(response, 403, {
      error: readersRefusal,
    });
  const actor = caller.name ?? actorOf(request);
  const given = actor === null ? actorComplaint : await readArguments(request);
  if (actor === null || typeof given === "string") return reply(response, 400, { error: given });
  if (isLink) {
    const role = given[0] === "reader" ? "reader" : "operator";
    return reply(response, 200, { entry: console.makeEntry({ name: actor, role }) });
  }
  if (isVerb(verb)) await send(response, await callVerb(operatorFor(actor), verb, given));
}

/** The holder of the token, who may take any name, or of an access key. */
interface Caller {
  readonly name: string | null;
  readonly role: Role;
}

async function callerOf(
  request: IncomingMessage,
  { token, data }: Pick<Given, "token" | "data">,
): Promise<Caller | null> {
  if (mayEnter(request, token)) return { name: null, role: "operator" };
  const { authorization = "", origin } = request.headers;
  if (!authorization.startsWith("Bearer ") || origin !== undefined) return null;
  const found = findAccessKey(await readAccessKeys(data), authorization.slice("Bearer ".length), new Date());
  return found && { name: found.name, role: found.role };
}

/** Whether the key may report errors. */
async function isReporter(
  { headers: { authorization = "" } }: IncomingMessage,
  { data }: Pick<Given, "data">,
): Promise<boolean> {
  if (!authorization.startsWith("Bearer ")) return false;
  return mayReport(await readAccessKeys(data), authorization.slice("Bearer ".length), new Date());
}

const isVerb = (name: string | undefined): name is VerbName => verbNames.some((one) => one === name);

const readersRefusal = "Readers see and do not act: this needs a key with the role operator.";
const actorComplaint = 'The header "Headway-Actor" must be a name of 1 to 100 characters.';

/**
 * The actor's name in the audit; null: no name. A caller without the header is recorded as such, not as the server's
 * user.
 */
function actorOf({ headers }: IncomingMessage): string | null {
  const given = headers["headway-actor"];
  if (given === undefined) return "a caller over HTTP";
  // Node reads headers as Latin-1, people write UTF-8.
  const name = Buffer.from(String(given), "latin1").toString("utf8").trim();
  return /^[^\p{C}]{1,100}$/u.test(name) ? name : null;
}

async function replyMetrics(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: OperatorServerOptions["metrics"],
): Promise<void> {
  const { format, type } = formatFor(request.headers.accept);
  const text = await metrics(format);
  response.writeHead(200, { ...headers, "content-type": type });
  response.end(text);
}

const bodyBytesMax = 1024 * 1024;

/** A sentence describes invalid arguments. */
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
    const given: unknown = JSON.parse(Buffer.concat(parts).toString("utf8") || "[]");
    return Array.isArray(given) ? given : "Send the arguments as a JSON array.";
  } catch (error) {
    return `The arguments are not JSON: ${(error as Error).message}`;
  }
}

async function send(response: ServerResponse, result: unknown): Promise<void> {
  if (!isStream(result)) return reply(response, 200, result ?? null);
  const stream = result[Symbol.asyncIterator]();
  // An invalid filter fails at the first line: until then the answer may still be a refusal.
  let next = await stream.next();
  response.writeHead(200, { ...headers, "content-type": "application/x-ndjson" });
  for (; !next.done; next = await stream.next()) {
    if (!response.write(`${JSON.stringify(next.value)}\n`)) await once(response, "drain");
  }
  response.end();
}

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { ...headers, "content-type": "application/json" });
  response.end(`${JSON.stringify(body)}\n`);
}
