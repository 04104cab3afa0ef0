import type { IncomingMessage, ServerResponse } from "node:http";
import { DefinitionError, type Pipeline } from "@headway/engine";
import type { Database, Operator } from "@headway/engine/operate";
import { sendExport } from "./downloads.ts";
import { makeLimit, refuseForeignPage } from "./guard.ts";
import { Late, makeHub, within } from "./hub.ts";
import type { Library, TakeFile } from "./library.ts";
import { makeStreams } from "./live-streams.ts";
import type { Setting } from "./page-context.ts";
import { makeQuery } from "./page-query.ts";
import { operatorPages, type PageName, pages } from "./pages.ts";
import { makePlans, makeRampRunner } from "./plans.ts";
import { readJson, replyJson, safeHeaders } from "./reply.ts";
import type { Schedules } from "./schedules.ts";
import { makeSessions, type Person, setCookie } from "./sessions.ts";
import type { Shelf } from "./shelf.ts";
import { pictureOf } from "./shelf-pages.ts";
import { makeUploads } from "./uploads.ts";
import { loadWebFiles, shellOf, type WebFile } from "./web-files.ts";

export interface ConsoleOptions {
  readonly operatorFor: (actor: string) => Operator;
  readonly database: Database;
  readonly pipelines: readonly Pipeline[];
  /** Pages for readers; null: the pipelines bring none. */
  readonly library: Library | null;
  /** Pages about manuals; null: the pipelines bring none. */
  readonly shelf: Shelf | null;
  /** Reads an uploaded file; null: no pipeline reads files. */
  readonly takeFile: TakeFile | null;
  /** Sources read on a schedule; null: the application has none. */
  readonly schedules: Schedules | null;
  /** The data folder, with its token and access keys. */
  readonly data: string;
  readonly token: string;
  readonly version: string;
  /** Names of this server besides the loopback ones. */
  readonly hosts: readonly string[];
  /** Every setting in force, secrets masked. */
  readonly settings: () => readonly Setting[];
  readonly onError: (error: unknown) => void;
}

/** The web console as a listener for requests that nothing else on the address has answered. */
export interface WebConsole {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The part behind `#` of a link that enters once, within ten minutes. */
  makeEntry(person: Person): string;
  close(): void;
}

const answerWithinMs = 10_000;

export function makeConsole(options: ConsoleOptions): WebConsole {
  const { operatorFor, onError } = options;
  const sessions = makeSessions(options);
  const operator = operatorFor("console");
  // An embedded database has one session, so a second question waits for the first; and an embedded database cannot be away.
  const answers = async () => (options.database.kind === "pglite" ? null : await operator.breakers());
  const hub = makeHub({ operator, answers });
  const uploads = makeUploads(options);
  const streams = makeStreams(hub);
  const ramps = makeRampRunner(onError);
  const plans = makePlans({ onRamp: ramps.run, places: options });
  const mayAsk = makeLimit({ limit: 50, spanMs: 1_000 });
  const mayEnter = makeLimit({ limit: 5, spanMs: 60_000 });
  let files: Promise<readonly WebFile[]> | null = null;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = refuseForeignPage(request, options.hosts);
    if (refused) return replyJson(response, refused.status, { error: refused.error });
    const url = new URL(request.url ?? "/", "http://here");
    if (url.pathname.startsWith("/api/console/")) return await api(url, request, response);
    if (request.method !== "GET" && request.method !== "HEAD")
      return replyJson(response, 405, { error: "Use GET." });
    return await sendFile(url.pathname, response);
  }

  async function sendFile(path: string, response: ServerResponse): Promise<void> {
    files ??= loadWebFiles();
    const loaded = await files.catch((error: unknown) => {
      files = null;
      throw error;
    });
    const file = loaded.find((one) => one.path === path);
    if (file) {
      const cache = "public, max-age=31536000, immutable";
      response.writeHead(200, { ...safeHeaders, "content-type": file.type, "cache-control": cache });
      response.end(file.bytes);
      return;
    }
    if (path.startsWith("/assets/") || path.startsWith("/api/"))
      return replyJson(response, 404, { error: "There is no such address." });
    response.writeHead(200, {
      ...safeHeaders,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
    });
    response.end(shellOf(loaded));
  }

  async function api(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = url.pathname.slice("/api/console/".length);
    if (name === "enter") return await enter(request, response);
    const session = await sessions.read(request);
    if (!session) return replyJson(response, 401, { error: "Sign in." });
    const { person, renewed } = session;
    if (!mayAsk(person.name)) return replyJson(response, 429, { error: "Too many requests: wait a second." });
    const more = renewed ? { "set-cookie": setCookie(request, renewed) } : {};
    if (name === "leave") return replyJson(response, 200, {}, { "set-cookie": setCookie(request, "") });
    if (name === "live") return streams.open(person.name, response);
    try {
      if (name === "picture") return await sendPicture(url, response);
      if (name === "export" && request.method === "GET")
        return await sendExport(operatorFor(person.name), makeQuery(url.searchParams), response);
      const answer = await answerFor(name, url, request, person);
      replyJson(response, answer.status, answer.body, more);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      if (error instanceof DefinitionError) return replyJson(response, 400, { error: error.message });
      onError(error);
      replyJson(response, 503, { error: complaintOf(error) });
    }
  }

  async function sendPicture(url: URL, response: ServerResponse): Promise<void> {
    const found = await pictureOf(options.shelf, makeQuery(url.searchParams));
    response.writeHead(200, {
      ...safeHeaders,
      "content-type": "image/png",
      "cache-control": "private, max-age=3600",
    });
    response.end(found);
  }

  async function enter(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return replyJson(response, 405, { error: "Use POST." });
    if (!mayEnter(request.socket.remoteAddress ?? ""))
      return replyJson(response, 429, { error: "Too many tries: wait a minute." });
    const given = await readJson(request);
    const entered = await sessions.enter(typeof given?.key === "string" ? given.key : "");
    if (!entered)
      return replyJson(response, 401, {
        error: "The link was used, is older than ten minutes, or the key is unknown.",
      });
    replyJson(
      response,
      200,
      { person: entered.person },
      { "set-cookie": setCookie(request, entered.cookie) },
    );
  }

  interface Answer {
    readonly status: number;
    readonly body: unknown;
  }

  async function answerFor(
    name: string,
    url: URL,
    request: IncomingMessage,
    person: Person,
  ): Promise<Answer> {
    const operator = operatorFor(person.name);
    if (name === "plan" || name === "act") return await answerAct(name, request, person, operator);
    if (name === "upload") return await answerUpload(url, request, person);
    if (!isPage(name)) return { status: 404, body: { error: "There is no such page." } };
    if (request.method !== "GET") return { status: 405, body: { error: "Use GET." } };
    if (operatorPages.includes(name) && person.role !== "operator") return forOperators;
    const context = { ...options, operator, hub, person };
    const body = await within(
      answerWithinMs,
      Promise.resolve(pages[name](context, makeQuery(url.searchParams))),
    );
    return { status: 200, body };
  }

  /** POST begins a file, PUT brings a piece, POST with `id` reads the file. */
  async function answerUpload(url: URL, request: IncomingMessage, person: Person): Promise<Answer> {
    if (request.method !== "POST" && request.method !== "PUT")
      return { status: 405, body: { error: "Use POST or PUT." } };
    if (person.role !== "operator") return forOperators;
    const query = makeQuery(url.searchParams);
    const id = query.text("id");
    if (request.method === "PUT") {
      const at = query.number("at") ?? 0;
      return { status: 200, body: await uploads.take(person.name, query.name("id"), at, request) };
    }
    if (id !== undefined) return { status: 200, body: await uploads.finish(person.name, id) };
    return { status: 200, body: await uploads.begin(person.name, query.name("name"), query.text("list")) };
  }

  async function answerAct(
    name: "plan" | "act",
    request: IncomingMessage,
    person: Person,
    operator: Operator,
  ): Promise<Answer> {
    if (request.method !== "POST") return { status: 405, body: { error: "Use POST." } };
    if (person.role !== "operator") return forOperators;
    const given = await readJson(request);
    if (!given) return { status: 400, body: { error: "Send a JSON object of at most 1 MiB." } };
    if (name === "plan") {
      const fields = typeof given.fields === "object" && given.fields !== null ? { ...given.fields } : {};
      return { status: 200, body: await plans.plan(operator, person.name, String(given.act), fields) };
    }
    const { token, why, typed, ramp } = given;
    const done = await plans.act(operator, person.name, { token, why, typed, ramp });
    hub.hurry();
    return { status: 200, body: done };
  }

  return {
    handle,
    makeEntry: (person) => `#enter=${sessions.makeCode(person)}`,
    close() {
      hub.close();
      void uploads.close().catch(() => undefined);
      ramps.close();
      streams.close();
    },
  };
}

const forOperators = {
  status: 403,
  body: { error: "Readers see and do not act: ask for a key with the role operator." },
} as const;

const complaintOf = (error: unknown): string =>
  error instanceof Late
    ? "The question took too long and was given up; documents are safe. Trying again helps."
    : "The database did not answer; documents are safe. Trying again helps.";

const isPage = (name: string): name is PageName => Object.hasOwn(pages, name);
