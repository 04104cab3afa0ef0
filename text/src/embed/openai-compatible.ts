import { permanent, transient } from "@headway/engine";
import type { Embedder, EmbedOptions } from "./embedder.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/**
 * Addresses of the usual servers:
 *
 *   OpenAI        https://api.openai.com/v1
 *   Ollama        http://127.0.0.1:11434/v1, or http://127.0.0.1:11434/api for its own protocol
 *   vLLM          http://127.0.0.1:8000/v1
 *   llama-server  http://127.0.0.1:8080/v1, started with --embeddings
 *   LM Studio     http://127.0.0.1:1234/v1
 */
export interface EmbeddingServer {
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string;
  /** Length limit of a passage, by a careful estimate, because each model counts differently. */
  readonly tokensMax?: number;
  /** Texts in one request. */
  readonly batchSize?: number;
  readonly timeoutMs?: number;
  readonly answerBytesMax?: number;
}

export const serverTokensMax = 256;
const defaults = {
  tokensMax: serverTokensMax,
  batchSize: 64,
  timeoutMs: 60_000,
  answerBytesMax: 64 * 1024 * 1024,
};

/** Asks a server that speaks OpenAI's protocol, or Ollama's own. */
export function openEmbeddingServer(options: EmbeddingServer): Embedder {
  const server = { ...defaults, ...options, ...addressOf(options) };
  const batchSize = Math.max(1, server.batchSize);
  let dimensions: number | undefined;

  async function embedBatch(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    const vectors = readVectors(await ask(server, texts, options), texts.length);
    const wrong = vectors.find(({ length }) => length !== (dimensions ?? vectors[0]?.length));
    if (wrong) throw garbled(`with a vector of ${wrong.length} instead of ${dimensions} dimensions`);
    dimensions = vectors[0]?.length;
    return vectors;
  }

  return {
    model: options.model,
    tokensMax: server.tokensMax,
    tokenize: estimateTokens,
    async embed(texts, { signal, idempotencyKey } = {}) {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += batchSize) {
        const batch = texts.slice(from, from + batchSize);
        const key = idempotencyKey && (from === 0 ? idempotencyKey : `${idempotencyKey}-${from}`);
        const made = await embedBatch(batch, {
          ...(signal && { signal }),
          ...(key && { idempotencyKey: key }),
        });
        vectors.push(...made);
      }
      return vectors;
    },
  };
}

type Server = Required<Omit<EmbeddingServer, "apiKey" | "url">> & Address;

interface Address {
  readonly endpoint: string;
  /** Ollama's own protocol. */
  readonly native: boolean;
  readonly authorization: string | undefined;
  /** Never shown in messages. */
  readonly secrets: readonly string[];
}

/**
 * A password in the address becomes a header: `fetch` refuses such addresses, and messages would show the password.
 */
function addressOf({ url, apiKey }: EmbeddingServer): Address {
  const parsed = new URL(url);
  const path = parsed.pathname.replace(/\/{1,100}$/, "");
  const native = path.endsWith("/api");
  const [user, password] = [decodeURIComponent(parsed.username), decodeURIComponent(parsed.password)];
  const basic = user || password ? Buffer.from(`${user}:${password}`).toString("base64") : undefined;
  parsed.username = "";
  parsed.password = "";
  parsed.pathname = `${path}${native ? "/embed" : "/embeddings"}`;
  return {
    endpoint: parsed.href,
    native,
    authorization: apiKey ? `Bearer ${apiKey}` : basic && `Basic ${basic}`,
    secrets: [apiKey, password, basic].filter((secret): secret is string => Boolean(secret)),
  };
}

async function ask(server: Server, texts: readonly string[], options: EmbedOptions): Promise<string> {
  const timeout = AbortSignal.timeout(server.timeoutMs);
  const response = await fetch(server.endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(server.authorization && { authorization: server.authorization }),
      ...(options.idempotencyKey && { "idempotency-key": options.idempotencyKey }),
    },
    body: JSON.stringify(requestOf(server, texts)),
    // mail must not be redirected to an unconfigured address
    redirect: "manual",
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
  });
  if (!response.ok) throw await refusal(server, response);
  return await readBody(response, server.answerBytesMax, () => {
    throw garbled(`with more than ${server.answerBytesMax} bytes`);
  });
}

/** Servers refuse an empty text, and half a character. Ollama must not cut an overlong text. */
function requestOf({ native, model }: Server, texts: readonly string[]): object {
  const input = texts.map((text) => text.replace(/\p{Cs}/gu, "\ufffd") || " ");
  return native ? { model, input, truncate: false } : { model, input, encoding_format: "float" };
}

const excerptLengthMax = 300;

/** In the usual shape of HTTP client errors, so the engine reads status and `Retry-After`. */
async function refusal(server: Server, response: Response): Promise<Error> {
  const { status, statusText, headers } = response;
  const body = await readBody(response, 65_536, () => "").catch(() => "");
  const words = hide(body, server.secrets).replace(/\s+/g, " ").trim().slice(0, excerptLengthMax);
  const message = `The embedding server answered ${`${status} ${statusText}`.trim()}${words && `: ${words}`}`;
  if (status < 400) {
    return permanent("embedding.redirected", `${message}; set the address that it redirects to.`);
  }
  const kept = ["retry-after", "retry-after-ms"].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return Object.assign(new Error(message), { status, headers: Object.fromEntries(kept) });
}

const hide = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "***"), text);

/** At most `bytesMax` bytes, independent of the declared length. */
async function readBody(response: Response, bytesMax: number, onTooLong: () => string): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > bytesMax) return onTooLong();
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function readVectors(answer: string, count: number): Float32Array[] {
  const rows = rowsOf(answer);
  if (rows === undefined) throw garbled(`with something else: ${answer.trim().slice(0, 100)}`);
  if (rows.length !== count) throw garbled(`with ${rows.length} vectors for ${count} texts`);
  return rows.map((row) => {
    if (!Array.isArray(row) || row.length === 0) throw garbled("with a vector that is none");
    const vector = Float32Array.from(row, (each) => (typeof each === "number" ? each : Number.NaN));
    if (!vector.every(Number.isFinite)) throw garbled("with a vector that holds more than numbers");
    return vector;
  });
}

/** For both protocols, in the order of the texts. */
function rowsOf(answer: string): readonly unknown[] | undefined {
  let parsed: { data?: unknown; embeddings?: unknown } | null;
  try {
    parsed = JSON.parse(answer);
  } catch {
    return undefined;
  }
  if (Array.isArray(parsed?.embeddings)) return parsed.embeddings;
  if (!Array.isArray(parsed?.data)) return undefined;
  const rows: ({ index?: unknown; embedding?: unknown } | null)[] = parsed.data;
  const byIndex = new Map(rows.map((row, i) => [row?.index ?? i, row?.embedding]));
  return byIndex.size === rows.length ? rows.map((_, i) => byIndex.get(i)) : undefined;
}

const garbled = (how: string) =>
  transient("embedding.garbled", `The embedding server answered ${how}.`, { dependency: "embedder" });
