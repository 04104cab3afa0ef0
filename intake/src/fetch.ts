import type { IncomingMessage } from "node:http";
import { pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { isPrivateAddress } from "./addresses.ts";
import { defaultFetchLimits, type FetchLimits } from "./fetch-limits.ts";
import { type Resolve, request, type Wanted } from "./http-request.ts";
import { defaultLimits, showBytes } from "./limits.ts";
import { IngestRefusal, type RefusalCode } from "./refusal.ts";
import { parseUrl, showUrl } from "./web-address.ts";

export interface FetchOptions {
  /** Validators of the last response. */
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  /** Media types for the `Accept` header. */
  readonly accept?: string;
  /** Allows this machine and this network. */
  readonly allowPrivate?: boolean;
  readonly isPrivate?: (address: string) => boolean;
  readonly limits?: Partial<FetchLimits>;
  readonly signal?: AbortSignal;
  /** Resolves the addresses of a host, once for each request. */
  readonly resolve?: Resolve;
}

export type Fetched =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "body";
      /** Final address after redirects. */
      readonly url: URL;
      readonly etag: string | null;
      readonly lastModified: string | null;
      readonly type: string;
      /** Decoded body; to be read or closed. */
      readonly body: AsyncGenerator<Uint8Array>;
    };

/** Fetches an HTTP(S) address, unless unchanged. */
export async function fetchUrl(address: string, options: FetchOptions = {}): Promise<Fetched> {
  const limits = { ...defaultFetchLimits, ...options.limits };
  const first = parseUrl(address);
  const deadline = AbortSignal.timeout(limits.totalMs);
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    const wanted: Wanted = {
      url,
      headers: headersFor(url, first, options),
      isForbidden: options.allowPrivate ? () => false : (options.isPrivate ?? isPrivateAddress),
      limits,
      signal,
      resolve: options.resolve,
    };
    const response = await request(wanted);
    const next = redirection(response, url);
    if (next === null)
      return conclude(response, url, {
        limits,
        signal,
        callers: options.signal,
        resume: resumptionOf(response, wanted),
      });
    response.destroy();
    if (redirects >= limits.redirectsMax) throw refuseRedirects(first, limits.redirectsMax);
    url = next;
  }
}

/** Credentials go only to the origin they were given for. */
function headersFor(url: URL, first: URL, options: FetchOptions): Record<string, string> {
  const headers: Record<string, string> = {
    "user-agent": `headway/${version}`,
    accept: options.accept ?? "*/*",
    "accept-encoding": "gzip",
  };
  if (url.origin === first.origin && (first.username !== "" || first.password !== "")) {
    const pair = `${decodeURIComponent(first.username)}:${decodeURIComponent(first.password)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
  }
  if (options.etag) headers["if-none-match"] = options.etag;
  if (options.lastModified) headers["if-modified-since"] = options.lastModified;
  return headers;
}

/** The version of this package. */
const version = "0.1.0";

function redirection(response: IncomingMessage, from: URL): URL | null {
  const { statusCode = 0, headers } = response;
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return null;
  try {
    const next = parseUrl(new URL(headers.location, from).href);
    // A redirect must not set credentials.
    next.username = "";
    next.password = "";
    return next;
  } catch (error) {
    response.destroy();
    const message = `${showUrl(from)} leads to something that is not an HTTP(S) address: check it in a browser.`;
    throw new IngestRefusal("url.redirects", showUrl(from), message, { cause: error });
  }
}

interface Reading {
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
  readonly callers: AbortSignal | undefined;
  /** The rest of the same content from this byte on; null: the server cannot, or has different content by now. */
  readonly resume: (from: number) => Promise<IncomingMessage | null>;
}

/** Requests for the rest of a broken download. */
const resumesMax = 10;

/** Content is the same only by a strong validator, which the server itself compares. */
function resumptionOf({ headers }: IncomingMessage, wanted: Wanted): Reading["resume"] {
  const { etag, "last-modified": modified } = headers;
  const validator = etag === undefined ? modified : etag.startsWith("W/") ? undefined : etag;
  return async (from) => {
    if (validator === undefined || headers["accept-ranges"] === "none") return null;
    const { "if-none-match": _, "if-modified-since": __, ...plain } = wanted.headers;
    const asking = { ...plain, range: `bytes=${from}-`, "if-range": validator };
    const response = await request({ ...wanted, headers: asking });
    const fits = response.headers["content-range"]?.startsWith(`bytes ${from}-`);
    if (response.statusCode === 206 && fits) return response;
    response.destroy();
    return null;
  };
}

function conclude(response: IncomingMessage, url: URL, reading: Reading): Fetched {
  const { statusCode = 0, headers } = response;
  if (statusCode === 304) {
    response.destroy();
    return { kind: "unchanged" };
  }
  const length = Number(headers["content-length"] ?? 0);
  const refusal =
    statusCode === 200
      ? length > reading.limits.bytesMax
        ? refuseTooLarge(url, reading.limits.bytesMax)
        : null
      : refuseStatus(url, statusCode, headers["retry-after"]);
  if (refusal) {
    response.destroy();
    throw refusal;
  }
  return {
    kind: "body",
    url,
    etag: headers.etag ?? null,
    lastModified: headers["last-modified"] ?? null,
    type: (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "",
    body: readBody(response, url, reading),
  };
}

async function* readBody(response: IncomingMessage, url: URL, reading: Reading): AsyncGenerator<Uint8Array> {
  const { bytesMax } = reading.limits;
  let arrived = 0;
  let decoded = 0;
  async function* arriving(): AsyncGenerator<Uint8Array> {
    for (let [from, resumes]: [IncomingMessage | null, number] = [response, 0]; from; resumes++) {
      try {
        for await (const piece of from as AsyncIterable<Buffer>) {
          arrived += piece.length;
          if (arrived > bytesMax) throw refuseTooLarge(url, bytesMax);
          yield piece;
        }
        return;
      } catch (error) {
        if (error instanceof IngestRefusal || reading.signal.aborted || resumes >= resumesMax) throw error;
        from = await reading.resume(arrived).catch(() => null);
        if (!from) throw error;
      }
    }
  }
  try {
    for await (const piece of decode(arriving(), response.headers["content-encoding"])) {
      decoded += piece.length;
      const decodedMax = Math.max(defaultLimits.ratioFreeBytes, arrived * defaultLimits.ratioMax);
      if (decoded > Math.min(decodedMax, bytesMax)) throw refuseTooLarge(url, Math.min(decodedMax, bytesMax));
      yield piece;
    }
  } catch (error) {
    reading.callers?.throwIfAborted();
    throw error instanceof IngestRefusal ? error : refuseBroken(url, error, reading);
  } finally {
    response.destroy();
  }
}

function decode(source: AsyncIterable<Uint8Array>, encoding: string | undefined): AsyncIterable<Uint8Array> {
  const decoder = decoderOf((encoding ?? "").trim().toLowerCase());
  // Errors of either reach the reader of the decoder.
  return decoder ? pipeline(Readable.from(source), decoder, () => undefined) : source;
}

function decoderOf(encoding: string) {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    case "":
    case "identity":
      return null;
    default:
      throw new Error(`its content encoding "${encoding.slice(0, 40)}" is not known here`);
  }
}

/** Seconds; a date is rare, and gets the usual delays. */
const patienceOf = (asked: string | undefined): number =>
  /^\d{1,6}$/.test(asked ?? "") ? Math.min(Number(asked) * 1_000, 86_400_000) : 0;

function refuseStatus(url: URL, status: number, retryAfter: string | undefined): IngestRefusal {
  const place = showUrl(url);
  const refuse = (code: RefusalCode, message: string) => new IngestRefusal(code, place, message);
  if (status === 404 || status === 410) {
    return refuse("url.missing", `There is nothing at ${place} (${status}): check the address.`);
  }
  if (status === 401 || status === 403 || status === 407) {
    return refuse("url.forbidden", `${place} may not be read without permission (${status}): ask its owner.`);
  }
  const message = `${place} answered with status ${status}: try again later.`;
  const retryAfterMs = status === 429 || status === 503 ? patienceOf(retryAfter) : 0;
  return new IngestRefusal("url.unavailable", place, message, { retryAfterMs });
}

const refuseRedirects = (url: URL, redirectsMax: number) =>
  new IngestRefusal(
    "url.redirects",
    showUrl(url),
    `${showUrl(url)} was redirected more than ${redirectsMax} times: open it in a browser and use the last address.`,
  );

const refuseTooLarge = (url: URL, bytesMax: number) =>
  new IngestRefusal(
    "url.too-large",
    showUrl(url),
    `${showUrl(url)} is larger than ${showBytes(bytesMax)} (limit url.bytes): download it and read the file.`,
  );

function refuseBroken(url: URL, cause: unknown, reading: Reading): IngestRefusal {
  const why = reading.signal.aborted
    ? `took longer than ${reading.limits.totalMs / 1000} s`
    : `broke off (${(cause as Error).message})`;
  return new IngestRefusal("url.unreachable", showUrl(url), `Reading ${showUrl(url)} ${why}: try again.`, {
    cause,
  });
}
