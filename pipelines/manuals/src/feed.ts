import { createHash } from "node:crypto";
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
  tryOnce,
} from "@headway/intake";
import { manuals } from "./collections.ts";
import { manualId } from "./identity.ts";
import { pdfRecogniser } from "./ingest/recognise-pdf.ts";
import { type KnownManual, readManuals } from "./library/known-manuals.ts";
import type { Manuals } from "./manuals.ts";

export interface FeedOptions {
  /** Addresses inside this network may be read. */
  readonly allowPrivate?: boolean;
  /** Larger goes first, from -1000 to 1000; everything made of the manuals inherits it. */
  readonly priority?: number;
  readonly signal?: AbortSignal;
  /** Repeats a step during an outage of the database; by default a step is tried once. */
  readonly outlast?: Outlast;
}

/** Outcome of reading all places. */
export interface Fed {
  readonly accepted: readonly string[];
  readonly unchanged: number;
  readonly skipped: readonly { readonly place: string; readonly because: string }[];
  readonly refused: readonly RefusedPlace[];
}

interface Feeding {
  /** Null: a dry run. */
  readonly engine: Pick<Manuals["engine"], "accept"> | null;
  readonly blobs: Manuals["blobs"];
  readonly options: FeedOptions;
  readonly known: Map<string, KnownManual>;
  readonly accepted: string[];
  unchanged: number;
  readonly skipped: { place: string; because: string }[];
  readonly refused: RefusedPlace[];
}

/** Reads places and hands their PDFs to the engine. A refused place changes nothing; the rest are read. */
export async function feedManuals(
  { engine, blobs }: Pick<Manuals, "engine" | "blobs">,
  places: readonly string[],
  options: FeedOptions = {},
): Promise<Fed> {
  const { outlast = tryOnce } = options;
  const known = await outlast(() => readManuals(engine.database));
  return await feedAll({ engine, blobs, options }, known, places);
}

/** What `feedManuals` would do: places are read and compared with what is known, and nothing is kept. */
export async function planManualsFeed(
  database: Database | null,
  places: readonly string[],
  options: FeedOptions = {},
): Promise<Fed> {
  const known = database ? await readManuals(database) : [];
  return await feedAll({ engine: null, blobs: measureOnly, options }, known, places);
}

async function feedAll(
  into: Pick<Feeding, "engine" | "blobs" | "options">,
  before: readonly KnownManual[],
  places: readonly string[],
): Promise<Fed> {
  const known = new Map(before.map((one) => [one.id, one]));
  const feeding: Feeding = { ...into, known, accepted: [], unchanged: 0, skipped: [], refused: [] };
  for (const place of places) {
    try {
      await feedPlace(feeding, isUrl(place) ? place : resolve(place));
    } catch (error) {
      if (!(error instanceof IngestRefusal)) throw error;
      const shown = isUrl(place) ? hideCredentials(place) : place;
      const { code, message: because, retryAfterMs } = error;
      feeding.refused.push({ place: shown, code, because, retryAfterMs });
    }
  }
  const { accepted, unchanged, skipped, refused } = feeding;
  return { accepted, unchanged, skipped, refused };
}

async function feedPlace(feeding: Feeding, place: string): Promise<void> {
  const { blobs, options, known } = feeding;
  const { allowPrivate, signal, outlast } = options;
  const found = ingestPlaces([place], {
    recogniser: pdfRecogniser,
    blobs,
    known: async (_, sha256) => [...known.values()].find(({ blob }) => blob === sha256)?.id ?? null,
    changed: async (_, at, sha256) =>
      [...known.values()].some((one) => one.place === at && one.blob !== sha256),
    remembered: async (url) => [...known.values()].find((one) => one.place === url)?.http ?? null,
    ...(allowPrivate !== undefined && { allowPrivate }),
    ...(signal && { signal }),
    ...(outlast && { outlast }),
  });
  for await (const one of found) await take(feeding, one);
}

async function take(feeding: Feeding, one: Ingested): Promise<void> {
  if (one.kind === "skipped") {
    feeding.skipped.push({ place: one.place, because: one.because });
    return;
  }
  if (one.kind === "unchanged") {
    feeding.unchanged++;
    return;
  }
  const { key, place, blob, size, http } = one;
  const id = idOf(feeding.known, key, place);
  const name = key.split("/").at(-1) ?? key;
  const draft = manuals.document(id, { name, place, blob, size, ...(http && { http }) });
  const { engine, options } = feeding;
  const { outlast = tryOnce, priority } = options;
  const origin = { source: "manuals", ...(priority !== undefined && { priority }) };
  const done = engine ? await outlast(() => engine.accept([draft], origin)) : null;
  if (!done || done.inserted + done.changed > 0) feeding.accepted.push(id);
  else feeding.unchanged++;
  feeding.known.set(id, { id, name, place, blob, size, http: http ?? null });
}

/** Two files of one name, from two places, are two manuals: neither replaces the other. */
function idOf(known: ReadonlyMap<string, KnownManual>, key: string, place: string): string {
  const id = manualId(key);
  const there = known.get(id);
  if (!there || there.place === place) return id;
  return `${id}~${createHash("sha256").update(place).digest("hex").slice(0, 6)}`;
}
