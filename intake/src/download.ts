import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ByteReader, makeByteReader } from "./byte-reader.ts";
import { type FetchOptions, fetchUrl } from "./fetch.ts";
import { defaultFetchLimits } from "./fetch-limits.ts";
import { findArchiveLinks, isPage } from "./index-page.ts";
import type { Recogniser } from "./recogniser.ts";
import { IngestRefusal } from "./refusal.ts";
import { headBytes } from "./unpack.ts";
import { showUrl } from "./web-address.ts";

/** A server's validators, to be sent with the next request. */
export interface HttpState {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** Content at an address. */
export type Downloaded =
  | { readonly kind: "unchanged" }
  /** A page with links to archives. */
  | { readonly kind: "page"; readonly links: readonly URL[] }
  /** A file, present until the caller asks for more. */
  | { readonly kind: "file"; readonly path: string; readonly http: HttpState | null };

export interface DownloadOptions extends FetchOptions {
  readonly recogniser: Recogniser;
}

/** Downloads an address into a temporary file, removed at the end of the generator; yields once. */
export async function* download(url: URL, options: DownloadOptions): AsyncGenerator<Downloaded> {
  const fetched = await fetchUrl(url.href, { accept: options.recogniser.accept, ...options });
  if (fetched.kind === "unchanged") return yield fetched;
  const reader = makeByteReader(fetched.body);
  try {
    if (isPage(fetched.type, await reader.peek(headBytes), options.recogniser)) {
      return yield { kind: "page", links: await readLinks(reader, fetched.url, options) };
    }
    yield* asFile(reader, options.signal, stateOf(fetched));
  } finally {
    await reader.close();
  }
}

async function* asFile(
  reader: ByteReader,
  signal: AbortSignal | undefined,
  http: HttpState | null,
): AsyncGenerator<Downloaded> {
  const folder = await mkdtemp(join(tmpdir(), "headway-"));
  try {
    const path = join(folder, "download");
    const file = createWriteStream(path, { mode: 0o600 });
    await pipeline(Readable.from(reader.rest()), file, signal ? { signal } : {});
    yield { kind: "file", path, http };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readLinks(reader: ByteReader, page: URL, options: DownloadOptions): Promise<URL[]> {
  const { pageBytesMax, linksMax } = { ...defaultFetchLimits, ...options.limits };
  const html = (await reader.take(pageBytesMax)).toString("utf8");
  const links = findArchiveLinks(html, page, { linksMax, linkEnding: options.recogniser.linkEnding });
  if (links.length > 0) return links;
  const { one, many } = options.recogniser.words;
  throw new IngestRefusal(
    "url.no-archives",
    showUrl(page),
    `${showUrl(page)} is a page without links to ${many} below it: use the address of ${one}.`,
  );
}

/** Null: without validators a server cannot be asked about changes. */
function stateOf({ etag, lastModified }: HttpState): HttpState | null {
  return etag === null && lastModified === null ? null : { etag, lastModified };
}

/** The name of an address; a query may be secret, and is replaced by a hash. */
export function nameOfUrl(url: URL): string {
  const last = url.pathname.split("/").findLast((part) => part !== "") ?? url.hostname;
  const asked = url.search === "" ? "" : createHash("sha256").update(url.search).digest("hex").slice(0, 12);
  const name = decodeName(last).replaceAll("/", "-");
  return asked === "" ? name : `${name}~${asked}`;
}

function decodeName(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
