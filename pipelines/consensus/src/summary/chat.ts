import { createHash } from "node:crypto";
import { permanent, rateLimited, transient } from "@headway/engine";
import type { Prompt } from "./prompt.ts";
import { countTokens } from "./windows.ts";

export interface ChatSettings {
  /** Up to `/v1` for OpenAI's protocol, up to `/api` for Ollama's own. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
  readonly timeoutMs: number;
  readonly contextTokens: number;
  readonly answerTokensMax: number;
  /** Told after each answer: tokens as the server counts them, or estimated where the server does not say. */
  readonly onUsed?: ((used: { readonly tokensIn: number; readonly tokensOut: number }) => void) | undefined;
}

/** Outcome of a question. `cut` and `too-long` ask for a smaller question. */
export type Answer =
  | { readonly kind: "answered"; readonly value: unknown }
  | { readonly kind: "garbled"; readonly problem: string }
  | { readonly kind: "cut" }
  | { readonly kind: "too-long" };

export interface Chat {
  ask(
    prompt: Prompt,
    given: {
      readonly signal: AbortSignal;
      readonly idempotencyKey: string;
      readonly onUsed?: ChatSettings["onUsed"];
    },
  ): Promise<Answer>;
}

/** The service with the circuit breaker for outages. */
const dependency = "summarizer";

/** Talks with a language model over HTTP. Features unknown to the server are left out from then on. */
export function openChat(settings: ChatSettings): Chat {
  const url = addressOf(settings.baseUrl);
  const speaks = url.pathname.endsWith("/api/chat") ? speakOllama : speakOpenAi;
  let concessions: Concessions = { format: "json_schema", limit: "max_tokens", temperature: true };
  return {
    async ask(prompt, given) {
      for (let round = 0; round < concessionsMax; round++) {
        const reply = await post(url, speaks.write(prompt, settings, concessions), settings, given);
        if (reply.status === 200) {
          const used = usedBy(prompt, reply.body);
          settings.onUsed?.(used);
          given.onUsed?.(used);
          return speaks.read(reply.body);
        }
        const less =
          reply.status === 400 || reply.status === 422 ? concede(concessions, reply.body) : undefined;
        if (less === undefined) return refusalOf(reply, settings);
        concessions = less;
      }
      throw permanent(
        "llm.unusable",
        `The language model at ${url.host} refuses every form of the question.`,
      );
    },
  };
}

const concessionsMax = 6;

/** Features a server may lack. */
interface Concessions {
  readonly format: "json_schema" | "json_object" | "none";
  readonly limit: "max_tokens" | "max_completion_tokens" | "none";
  readonly temperature: boolean;
}

function concede(now: Concessions, body: string): Concessions | undefined {
  if (
    /response_format|json_schema|json_object|guided|grammar|\bformat\b/i.test(body) &&
    now.format !== "none"
  ) {
    return { ...now, format: now.format === "json_schema" ? "json_object" : "none" };
  }
  if (/max_(?:completion_)?tokens/i.test(body) && now.limit !== "none" && !isTooLong(body)) {
    return { ...now, limit: now.limit === "max_tokens" ? "max_completion_tokens" : "none" };
  }
  if (/temperature/i.test(body) && now.temperature) return { ...now, temperature: false };
  return undefined;
}

function addressOf(baseUrl: string): URL {
  const url = new URL(baseUrl);
  if (url.username !== "" || url.password !== "") {
    throw new Error(
      "The address of the language model must not hold a name or password; give them as its key.",
    );
  }
  const path = url.pathname.replace(/\/{1,20}$/, "");
  url.pathname = `${path}${path.endsWith("/api") ? "/chat" : "/chat/completions"}`;
  return url;
}

interface Protocol {
  write(prompt: Prompt, settings: ChatSettings, concessions: Concessions): object;
  read(body: string): Answer;
}

const messagesOf = ({ system, user }: Prompt) => [
  { role: "system", content: system },
  { role: "user", content: user },
];

const speakOpenAi: Protocol = {
  write(prompt, { model, answerTokensMax }, { format, limit, temperature }) {
    const { name, body: schema } = prompt.schema;
    return {
      model,
      messages: messagesOf(prompt),
      stream: false,
      ...(temperature && { temperature: 0 }),
      ...(limit !== "none" && { [limit]: answerTokensMax }),
      ...(format === "json_schema" && {
        response_format: { type: format, json_schema: { name, strict: true, schema } },
      }),
      ...(format === "json_object" && { response_format: { type: format } }),
    };
  },
  read(body) {
    const choice = first(field(readJson(body), "choices"));
    const message = field(choice, "message");
    const reason = field(choice, "finish_reason");
    if (reason === "content_filter" || textOf(field(message, "refusal")) !== "") throw refused();
    if (reason === "length") return { kind: "cut" };
    return readContent(field(message, "content"));
  },
};

const speakOllama: Protocol = {
  write: (prompt, { model, answerTokensMax, contextTokens }, { format }) => ({
    model,
    messages: messagesOf(prompt),
    stream: false,
    options: { temperature: 0, num_ctx: contextTokens, num_predict: answerTokensMax },
    ...(format === "json_schema" && { format: prompt.schema.body }),
    ...(format === "json_object" && { format: "json" }),
  }),
  read(body) {
    const answer = readJson(body);
    if (field(answer, "done_reason") === "length") return { kind: "cut" };
    return readContent(field(field(answer, "message"), "content"));
  },
};

/** OpenAI's and Ollama's names of the same counts. */
function usedBy({ system, user }: Prompt, body: string): { tokensIn: number; tokensOut: number } {
  const answer = readJson(body);
  const usage = field(answer, "usage");
  const count = (...given: readonly unknown[]): number | undefined =>
    given.find((one): one is number => typeof one === "number" && Number.isFinite(one) && one >= 0);
  return {
    tokensIn:
      count(field(usage, "prompt_tokens"), field(answer, "prompt_eval_count")) ?? countTokens(system + user),
    tokensOut: count(field(usage, "completion_tokens"), field(answer, "eval_count")) ?? countTokens(body),
  };
}

const refused = () =>
  permanent("llm.refused", "The language model refuses to summarize this thread (content filter).");

function readContent(content: unknown): Answer {
  const text = typeof content === "string" ? content : partsOf(content);
  if (text.trim() === "") return { kind: "garbled", problem: "an empty answer" };
  const value = readJson(text) ?? readJson(jsonIn(text));
  return value === undefined ? { kind: "garbled", problem: "no JSON" } : { kind: "answered", value };
}

/** Some servers answer in parts. */
function partsOf(content: unknown): string {
  return Array.isArray(content) ? content.map((part) => textOf(field(part, "text"))).join("") : "";
}

/** The JSON object inside an answer with thoughts, greetings or fences around. */
function jsonIn(text: string): string {
  const thought = text.lastIndexOf("</think>");
  const rest = thought === -1 ? text : text.slice(thought + 8);
  return rest.slice(Math.max(0, rest.indexOf("{")), rest.lastIndexOf("}") + 1);
}

function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const field = (from: unknown, name: string): unknown =>
  typeof from === "object" && from !== null ? (from as Record<string, unknown>)[name] : undefined;
const first = (from: unknown): unknown => (Array.isArray(from) ? from[0] : undefined);
const textOf = (from: unknown): string => (typeof from === "string" ? from : "");

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const bodyBytesMax = 8_000_000;

async function post(
  url: URL,
  question: object,
  { apiKey, timeoutMs }: ChatSettings,
  { signal, idempotencyKey }: { readonly signal: AbortSignal; readonly idempotencyKey: string },
): Promise<Reply> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const body = JSON.stringify(question);
  const digest = createHash("sha256").update(body).digest("hex").slice(0, 16);
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "error",
      signal: AbortSignal.any([signal, timeout]),
      headers: {
        "content-type": "application/json",
        "idempotency-key": `${idempotencyKey.replace(/[^\x21-\x7e]/g, "_")}.${digest}`,
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      },
      body,
    });
    return { status: response.status, headers: response.headers, body: await readBody(response) };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (timeout.aborted) {
      throw transient("llm.timeout", `The language model at ${url.host} did not answer in ${timeoutMs} ms.`, {
        dependency,
      });
    }
    throw transient("llm.unreachable", `The language model at ${url.host} cannot be reached.`, {
      cause,
      dependency,
      outage: true,
    });
  }
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > bodyBytesMax) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const isTooLong = (body: string): boolean => tooLong.some((sign) => sign.test(body.slice(0, 4_000)));
const tooLong: readonly RegExp[] = [
  /context.{0,20}(?:length|window|size)/i,
  /too (?:long|large|many tokens)/i,
  /maximum.{0,30}tokens|exceeds?.{0,40}context/i,
];

/** A refused question: too long, or a fault. Messages never contain the key. */
function refusalOf({ status, headers, body }: Reply, { apiKey, model }: ChatSettings): Answer {
  if (status === 413 || (status === 400 && isTooLong(body))) return { kind: "too-long" };
  if (/content_filter|content_policy|ResponsibleAIPolicy/i.test(body.slice(0, 4_000)) && status < 500)
    throw refused();
  const said = wordsOf(body, apiKey);
  const code = `http.${status}`;
  const message = `The language model "${model}" answered ${status}${said === "" ? "." : `: ${said}`}`;
  const waitMs = retryAfterMs(headers);
  if (status === 429 || (status === 503 && waitMs !== undefined)) {
    throw rateLimited(code, message, waitMs ?? waitDefaultMs, { dependency });
  }
  if (status >= 500 || status === 408 || status === 425) {
    throw transient(code, message, { dependency, outage: status >= 502 && status <= 504 });
  }
  throw permanent(code, message);
}

const waitDefaultMs = 5_000;

/** A date is relative to the server's own clock. */
function retryAfterMs(headers: Headers): number | undefined {
  const ms = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (ms >= 0) return ms;
  const asked = headers.get("retry-after") ?? "";
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(asked)) return Number(asked) * 1_000;
  const wait = Date.parse(asked) - Date.parse(headers.get("date") ?? "");
  return wait >= 0 ? wait : undefined;
}

const saidLengthMax = 300;

/** The server's message, shortened; a server may repeat the key. */
function wordsOf(body: string, apiKey: string | undefined): string {
  const error = field(readJson(body), "error");
  const said = textOf(field(error, "message")) || textOf(error) || body;
  const safe = apiKey ? said.slice(0, 10_000).replaceAll(apiKey, "[key]") : said;
  return safe
    .slice(0, saidLengthMax)
    .replace(/\b(?:sk|pk|key)-[\w*-]{4,}/g, "[key]")
    .replace(/\s+/g, " ")
    .trim();
}
