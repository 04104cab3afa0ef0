import { createHash, randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Database } from "@headway/engine";
import {
  hideCredentials,
  type Ingested,
  IngestRefusal,
  ingestPlaces,
  isUrl,
  measureOnly,
  type Outlast,
  type RefusedPlace,
  refusePath,
  showName,
  tryOnce,
} from "@headway/intake";
import { archives } from "./collections.ts";
import type { Consensus } from "./consensus.ts";
import { archiveId } from "./identity.ts";
import { mailRecogniser } from "./ingest/recognise-mail.ts";
import { type Known, nothingKnown, readKnown, unpacked } from "./library/known-archives.ts";

export interface FeedOptions {
  /** The list of all archives; otherwise guessed from names. */
  readonly list?: string;
  /** Allows addresses inside this network. */
  readonly allowPrivate?: boolean;
  /** A uuid for tracing all consequences; by default a new one for each list. */
  readonly request?: string;
  /** The caller's span as W3C trace context. */
  readonly traceparent?: string;
  /** Larger goes first, from -1000 to 1000; everything made of the archives inherits it. */
  readonly priority?: number;
  readonly signal?: AbortSignal;
  /** Repeats a step during an outage of the database; by default a step is tried once. */
  readonly outlast?: Outlast;
  /** Called for each item read or skipped. */
  readonly onNote?: (note: FeedNote) => void;
}

export type FeedNote =
  | { readonly kind: "accepted" | "unchanged"; readonly place: string; readonly list: string }
  | { readonly kind: "skipped" | "refused"; readonly place: string; readonly because: string };

/** Outcome of reading all places. */
export interface Fed {
  readonly lists: readonly string[];
  readonly accepted: number;
  readonly unchanged: number;
  readonly skipped: readonly { readonly place: string; readonly because: string }[];
  readonly refused: readonly RefusedPlace[];
  /** Blobs of replaced archives; unneeded after everything has settled. */
  readonly replaced: readonly string[];
}

type ArchiveDraft = ReturnType<typeof archives.document>;

interface Feeding {
  readonly engine: Pick<Consensus["engine"], "accept" | "database"> | null;
  readonly blobs: Consensus["blobs"];
  readonly options: FeedOptions;
  readonly known: Known;
  readonly lists: Set<string>;
  /** By list. A list whose archives share a request is threaded when all of them are through. */
  readonly requests: Map<string, string>;
  accepted: number;
  unchanged: number;
  readonly skipped: { place: string; because: string }[];
  readonly refused: RefusedPlace[];
  readonly replaced: string[];
}

/** Reads places and hands their archives to the engine. A refused place changes nothing; the rest are read. */
export async function feed(
  { engine, blobs }: Pick<Consensus, "engine" | "blobs">,
  places: readonly string[],
  options: FeedOptions = {},
): Promise<Fed> {
  const { outlast = tryOnce } = options;
  const known = await outlast(() => readKnown(engine.database));
  return await feedAll({ engine, blobs, known, options }, places);
}

/** What `feed` would do: places are read and compared with what is known, and nothing is kept. */
export async function planFeed(
  database: Database | null,
  places: readonly string[],
  options: FeedOptions = {},
): Promise<Fed> {
  const known = database ? await readKnown(database) : nothingKnown();
  return await feedAll({ engine: null, blobs: measureOnly, known, options }, places);
}

async function feedAll(
  into: Pick<Feeding, "engine" | "blobs" | "known" | "options">,
  places: readonly string[],
): Promise<Fed> {
  const { options } = into;
  const feeding: Feeding = {
    ...into,
    lists: new Set(),
    requests: new Map(),
    accepted: 0,
    unchanged: 0,
    skipped: [],
    refused: [],
    replaced: [],
  };
  for (const place of places) {
    try {
      await feedPlace(feeding, isUrl(place) ? place : pathOf(place));
    } catch (error) {
      if (!(error instanceof IngestRefusal)) throw error;
      const shown = isUrl(place) ? hideCredentials(place) : place;
      const { code, message: because, retryAfterMs } = error;
      feeding.refused.push({ place: shown, code, because, retryAfterMs });
      options.onNote?.({ kind: "refused", place: shown, because });
    }
  }
  const { lists, accepted, unchanged, skipped, refused, replaced } = feeding;
  return { lists: [...lists], accepted, unchanged, skipped, refused, replaced };
}

/** Reasons why none of these places can be read, as far as visible at a glance; empty if one may be readable. */
export async function refuseAtSight(places: readonly string[]): Promise<readonly IngestRefusal[]> {
  const refusals: IngestRefusal[] = [];
  for (const place of places) {
    if (isUrl(place)) return [];
    const refusal = await refusalOf(place);
    if (!refusal) return [];
    refusals.push(refusal);
  }
  return refusals;
}

async function refusalOf(place: string): Promise<IngestRefusal | null> {
  try {
    const path = pathOf(place);
    return await stat(path).then(
      () => null,
      (error) => refusePath(showName(path), error),
    );
  } catch (error) {
    return error as IngestRefusal;
  }
}

/** An empty word is an unset variable, not the current folder. */
function pathOf(place: string): string {
  if (place.trim() !== "") return resolve(place);
  throw new IngestRefusal("path.missing", place, "An empty path was given: name a file or a folder.");
}

/** Often enough to start work during reading, seldom enough for a maildir not to be a commit per mail. */
const acceptEvery = 50;

async function feedPlace(feeding: Feeding, place: string): Promise<void> {
  const { engine, blobs, options, known } = feeding;
  // A file counts as a whole: if its last entry is a bomb, its first is not accepted either.
  const whole = (await stat(place).catch(() => null))?.isFile() === true;
  const drafts: ArchiveDraft[] = [];
  const { list, allowPrivate, signal, outlast } = options;
  const found = ingestPlaces([place], {
    recogniser: mailRecogniser,
    blobs,
    known: async (of, sha256) => known.byBlob.get(`${of}\n${sha256}`) ?? null,
    changed: async (of, at, sha256) => {
      const before = known.blobAt.get(`${of}\n${unpacked(at)}`);
      return before !== undefined && before !== sha256;
    },
    remembered: async (url, of) => known.byPlace.get(`${of}\n${url}`) ?? null,
    ...(list !== undefined && { list }),
    ...(allowPrivate !== undefined && { allowPrivate }),
    ...(signal && { signal }),
    ...(outlast && { outlast }),
  });
  try {
    for await (const one of found) {
      const draft = note(feeding, one);
      if (draft) drafts.push(draft);
      if (!whole && drafts.length >= acceptEvery) await accept(feeding, drafts.splice(0));
    }
  } catch (error) {
    const unused = drafts.map(({ body }) => body.blob);
    if (engine) await releaseBlobs({ engine, blobs }, unused);
    throw error;
  }
  await accept(feeding, drafts);
}

/** Counts a found item; an archive with new content becomes a document. */
function note(feeding: Feeding, one: Ingested): ArchiveDraft | null {
  const { options, known, lists } = feeding;
  if (one.kind === "skipped") {
    feeding.skipped.push({ place: one.place, because: one.because });
    options.onNote?.({ kind: "skipped", place: one.place, because: one.because });
    return null;
  }
  const { list, place } = one;
  lists.add(list);
  options.onNote?.({ kind: one.kind === "archive" ? "accepted" : "unchanged", place, list });
  if (one.kind === "unchanged") {
    feeding.unchanged++;
    return null;
  }
  const { blob, size, http } = one;
  const id = idOf(known, one);
  return archives.document(id, { list, place, blob, size, ...(http && { http }) });
}

/** Two files of one name in one list, from two places, are two archives: neither replaces the other. */
function idOf(known: Known, { list, key, place }: Ingested & { kind: "archive" }): string {
  const id = archiveId(list, key);
  const there = known.byId.get(id);
  if (!there || unpacked(there.place) === unpacked(place)) return id;
  const mark = createHash("sha256").update(unpacked(place)).digest("hex").slice(0, 6);
  return archiveId(list, `${key}~${mark}`);
}

/** Only accepted archives are recorded: a file refused in the end must not count as known content. */
async function accept(feeding: Feeding, drafts: readonly ArchiveDraft[]): Promise<void> {
  const { engine, known, requests } = feeding;
  const { outlast = tryOnce, traceparent, priority } = feeding.options;
  for (const list of new Set(drafts.map(({ body }) => body.list))) {
    const ofList = drafts.filter(({ body }) => body.list === list);
    const request = feeding.options.request ?? requests.get(list) ?? randomUUID();
    requests.set(list, request);
    if (!engine) {
      feeding.accepted += ofList.length;
      continue;
    }
    const origin = {
      source: `list ${list}`,
      request,
      ...(traceparent !== undefined && { traceparent }),
      ...(priority !== undefined && { priority }),
    };
    const { inserted, changed, unchanged } = await outlast(() => engine.accept(ofList, origin));
    feeding.accepted += inserted + changed;
    feeding.unchanged += unchanged;
  }
  for (const { id, body } of drafts) {
    const { list, place, blob } = body;
    const before = known.byId.get(id);
    if (before && before.blob !== blob) feeding.replaced.push(before.blob);
    known.byId.set(id, { blob, place });
    known.blobAt.set(`${list}\n${unpacked(place)}`, blob);
    known.byBlob.set(`${list}\n${blob}`, id.slice(list.length + 1));
  }
}

/** Deletes blobs without an archive; call after everything has settled. */
export async function releaseBlobs(
  { engine, blobs }: Pick<Consensus, "blobs"> & { readonly engine: Pick<Consensus["engine"], "database"> },
  candidates: readonly string[],
): Promise<number> {
  if (candidates.length === 0) return 0;
  const used = new Set([...(await readKnown(engine.database)).byId.values()].map(({ blob }) => blob));
  const free = [...new Set(candidates)].filter((blob) => !used.has(blob));
  for (const blob of free) await blobs.remove(blob);
  return free.length;
}
