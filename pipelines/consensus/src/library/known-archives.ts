import { type Database, sql } from "@headway/engine";

/** The archives read before. */
export interface Known {
  readonly byId: Map<string, { readonly blob: string; readonly place: string }>;
  /** Keys by list and content, `list\nsha256`. */
  readonly byBlob: Map<string, string>;
  /** Content of each place, `list\nplace`. */
  readonly blobAt: Map<string, string>;
  /** Validators of web servers, `list\naddress`. */
  readonly byPlace: ReadonlyMap<string, HttpState>;
}

interface HttpState {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** The same place, packed or not. */
export const unpacked = (place: string): string => place.replace(/\.gz$/i, "");

export const nothingKnown = (): Known => ({
  byId: new Map(),
  byBlob: new Map(),
  blobAt: new Map(),
  byPlace: new Map(),
});

/** All archives at once: there are few, and a folder of thousands asks about each. */
export async function readKnown(db: Database): Promise<Known> {
  const rows = await db.query<{
    id: string;
    list: string;
    place: string;
    blob: string;
    http: HttpState | null;
  }>(sql`
    select d.id, d.body ->> 'list' as list, d.body ->> 'place' as place, d.body ->> 'blob' as blob, d.body -> 'http' as http
    from headway_read.archives d`);
  return {
    byId: new Map(rows.map(({ id, blob, place }) => [id, { blob, place }])),
    byBlob: new Map(rows.map(({ id, list, blob }) => [`${list}\n${blob}`, id.slice(list.length + 1)])),
    blobAt: new Map(rows.map(({ list, place, blob }) => [`${list}\n${unpacked(place)}`, blob])),
    byPlace: new Map(
      rows.flatMap(({ list, place, http }) => (http ? [[`${list}\n${place}`, http] as const] : [])),
    ),
  };
}
