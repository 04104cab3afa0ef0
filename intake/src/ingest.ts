import { stat } from "node:fs/promises";
import { archiveKey, showName } from "./archive-key.ts";
import type { Blobs } from "./blobs.ts";
import { type Downloaded, type DownloadOptions, download, type HttpState, nameOfUrl } from "./download.ts";
import type { FetchOptions } from "./fetch.ts";
import type { UnpackLimits } from "./limits.ts";
import { type Outlast, tryOnce } from "./outlast.ts";
import type { Recogniser } from "./recogniser.ts";
import { IngestRefusal, refusePath } from "./refusal.ts";
import {
  type FindOptions,
  type FoundArchive,
  findArchives,
  findInFile,
  type SkippedNote,
} from "./sources.ts";
import { isUrl, parseUrl, showUrl } from "./web-address.ts";

export type Ingested =
  /** New, or new under its key; the bytes are in the blob store. */
  | {
      readonly kind: "archive";
      readonly key: string;
      readonly list: string;
      readonly place: string;
      readonly blob: string;
      readonly size: number;
      /** On the last archive of an address, so the validators are remembered only after a complete read. */
      readonly http?: HttpState;
    }
  | {
      readonly kind: "unchanged";
      readonly key: string;
      readonly list: string;
      readonly place: string;
      readonly because: string;
    }
  | SkippedNote;

export interface IngestOptions {
  readonly recogniser: Recogniser;
  readonly blobs: Blobs;
  /** The list for everything, instead of a list guessed from names. */
  readonly list?: string;
  readonly limits?: Partial<UnpackLimits>;
  readonly allowPrivate?: boolean;
  /** For folders, read only these files. */
  readonly only?: ReadonlySet<string>;
  /** The key of existing content in a list. */
  readonly known: (list: string, sha256: string) => Promise<string | null>;
  /** Whether this place held other content at the last read: then the content is new, even if known elsewhere. */
  readonly changed?: (list: string, place: string, sha256: string) => Promise<boolean>;
  readonly remembered: (url: string, list: string) => Promise<HttpState | null>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: IngestProgress) => void;
  /** Repeats a step during an outage of the database; by default a step is tried once. */
  readonly outlast?: Outlast;
  /** Web options; options above take precedence. */
  readonly fetch?: Pick<FetchOptions, "limits" | "resolve">;
}

export interface IngestProgress {
  readonly place: string;
  /** Unpacked so far. */
  readonly bytes: number;
}

/**
 * Reads paths and addresses into the blob store and yields new archives. An unreadable place given explicitly is
 * refused by throwing an IngestRefusal; an unreadable part of a place is skipped with a note.
 */
export async function* ingestPlaces(
  places: readonly string[],
  options: IngestOptions,
): AsyncGenerator<Ingested> {
  await checkPlaces(places);
  const keeper = makeKeeper(options);
  for (const place of places) {
    options.signal?.throwIfAborted();
    if (isUrl(place)) yield* ingestUrl(parseUrl(place), options, keeper);
    else yield* ingestPath(place, options, keeper);
  }
}

/** A misspelled place is reported before any other place is read. */
async function checkPlaces(places: readonly string[]): Promise<void> {
  for (const place of places) {
    if (isUrl(place)) parseUrl(place);
    else {
      await stat(place).catch((error) => {
        throw refusePath(showName(place), error);
      });
    }
  }
}

async function* ingestPath(place: string, options: IngestOptions, keeper: Keeper): AsyncGenerator<Ingested> {
  const found = findArchives(place, findOptions(options));
  const isFolder = (await stat(place)).isDirectory();
  if (!isFolder) return yield* keepNamed(found, keeper);
  for await (const one of found) {
    const kept = await keeper.keep(one);
    yield kept instanceof IngestRefusal ? asNote(kept) : kept;
  }
}

/**
 * Keeps the content of a file given explicitly; if nothing can be kept, because damage shows late, the file is
 * refused.
 */
async function* keepNamed(
  found: AsyncIterable<FoundArchive | SkippedNote>,
  keeper: Keeper,
): AsyncGenerator<Ingested> {
  const refusals: IngestRefusal[] = [];
  let count = 0;
  for await (const one of found) {
    const kept = await keeper.keep(one);
    if (kept instanceof IngestRefusal) refusals.push(kept);
    else if (kept.kind !== "skipped") count += 1;
    if (count > 0) yield* refusals.splice(0).map(asNote);
    if (!(kept instanceof IngestRefusal)) yield kept;
  }
  if (count === 0 && refusals[0]) throw refusals[0];
}

async function* ingestUrl(
  url: URL,
  options: IngestOptions,
  keeper: Keeper,
  isLinked = false,
): AsyncGenerator<Ingested> {
  const { recogniser } = options;
  const place = showUrl(url);
  const list =
    options.list === undefined ? recogniser.guessListOfUrl(url) : recogniser.nameList(options.list);
  const remembered = await options.remembered(place, list);
  for await (const got of download(url, { ...fetchOptions(options), ...remembered })) {
    switch (got.kind) {
      case "unchanged": {
        const because = "it has not changed since it was last read";
        yield { kind: "unchanged", key: archiveKey([nameOfUrl(url)]), list, place, because };
        break;
      }
      case "file":
        yield* ingestDownload(got, { url, place, list }, options, keeper);
        break;
      case "page":
        if (isLinked) {
          const { content, one } = recogniser.words;
          throw new IngestRefusal(`archive.not-${content}`, place, `${place} is a page and not ${one}.`);
        }
        yield* ingestLinks(withCredentialsOf(url, got.links), options, keeper);
    }
  }
}

/** Links of a page are treated as parts, not as explicit places. */
async function* ingestLinks(
  links: readonly URL[],
  options: IngestOptions,
  keeper: Keeper,
): AsyncGenerator<Ingested> {
  for (const link of links) {
    try {
      yield* ingestUrl(link, options, keeper, true);
    } catch (error) {
      if (!(error instanceof IngestRefusal)) throw error;
      yield asNote(error);
    }
  }
}

/** Credentials of a page apply to its links in the same origin. */
function withCredentialsOf(page: URL, links: readonly URL[]): URL[] {
  return links.map((link) => {
    const own = new URL(link);
    if (own.origin !== page.origin) return own;
    own.username = page.username;
    own.password = page.password;
    return own;
  });
}

async function* ingestDownload(
  got: Extract<Downloaded, { kind: "file" }>,
  named: { readonly url: URL; readonly place: string; readonly list: string },
  options: IngestOptions,
  keeper: Keeper,
): AsyncGenerator<Ingested> {
  const { url, place, list } = named;
  const file = {
    path: got.path,
    place,
    names: [nameOfUrl(url)],
    listNames: [list],
    keepsSuffix: false,
    modified: got.http?.lastModified ?? null,
  };
  let last: Ingested | null = null;
  let complete = true;
  for await (const one of keepNamed(findInFile(file, findOptions(options)), keeper)) {
    if (last) yield last;
    last = one;
    complete &&= one.kind !== "skipped";
  }
  if (last) yield complete && got.http && last.kind === "archive" ? { ...last, http: got.http } : last;
}

/** Stores archives in the blob store, and tracks everything read. */
interface Keeper {
  keep(found: FoundArchive | SkippedNote): Promise<Ingested | IngestRefusal>;
}

const progressBytes = 1 << 20;

function makeKeeper(options: IngestOptions): Keeper {
  const { blobs, known, signal, onProgress, outlast = tryOnce } = options;
  /** By list and content, the key; by list and key, the content. */
  const keys = new Map<string, string>();
  const contents = new Map<string, string>();
  const freeKey = (list: string, key: string, sha256: string) => {
    let free = key;
    // Two files with equivalent names: the later gets a suffix, or both would replace each other forever.
    for (let count = 2; (contents.get(`${list}\n${free}`) ?? sha256) !== sha256; count += 1)
      free = `${key}~${count}`;
    return free;
  };
  return {
    async keep(found) {
      if (found.kind === "skipped") return found;
      const list = options.list === undefined ? found.list : options.recogniser.nameList(options.list);
      const { place } = found;
      try {
        const { sha256, size } = await outlast(() => {
          const watched = onProgress ? watchBytes(found.open(), place, onProgress) : found.open();
          return blobs.put(watched, signal ? { signal } : {});
        });
        const key = freeKey(list, found.key, sha256);
        const changed = (await options.changed?.(list, place, sha256)) ?? false;
        const same = changed ? null : (keys.get(`${list}\n${sha256}`) ?? (await known(list, sha256)));
        keys.set(`${list}\n${sha256}`, same ?? key);
        if (same === null || same === key) contents.set(`${list}\n${key}`, sha256);
        if (same !== null) return unchanged({ key, list, place, same });
        return { kind: "archive", key, list, place, blob: sha256, size };
      } catch (error) {
        if (error instanceof IngestRefusal) return error;
        throw error;
      }
    },
  };
}

function unchanged(of: { key: string; list: string; place: string; same: string }): Ingested {
  const { key, list, place, same } = of;
  const because = same === key ? "it has been read already" : `it is the same as ${same}`;
  return { kind: "unchanged", key, list, place, because };
}

async function* watchBytes(
  source: AsyncIterable<Uint8Array>,
  place: string,
  onProgress: (progress: IngestProgress) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  let told = 0;
  onProgress({ place, bytes });
  for await (const piece of source) {
    bytes += piece.length;
    if (bytes - told >= progressBytes) {
      onProgress({ place, bytes });
      told = bytes;
    }
    yield piece;
  }
  if (bytes > told) onProgress({ place, bytes });
}

const asNote = (refusal: IngestRefusal): SkippedNote => ({
  kind: "skipped",
  place: refusal.place,
  because: refusal.message,
});

function findOptions({ recogniser, limits, only, signal }: IngestOptions): FindOptions {
  return { recogniser, ...(limits && { limits }), ...(only && { only }), ...(signal && { signal }) };
}

function fetchOptions({ recogniser, allowPrivate, signal, fetch }: IngestOptions): DownloadOptions {
  return {
    ...fetch,
    recogniser,
    ...(allowPrivate !== undefined && { allowPrivate }),
    ...(signal && { signal }),
  };
}
