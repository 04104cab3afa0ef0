import { type Database, sql } from "@headway/engine";

export interface KnownManual {
  readonly id: string;
  readonly name: string;
  readonly place: string;
  readonly blob: string;
  readonly size: number;
  readonly http: { readonly etag: string | null; readonly lastModified: string | null } | null;
}

/** Every accepted manual, readable or not. */
export async function readManuals(db: Database): Promise<readonly KnownManual[]> {
  return await db.query<KnownManual>(sql`
    select d.id, d.body ->> 'name' as name, d.body ->> 'place' as place, d.body ->> 'blob' as blob,
      (d.body ->> 'size')::float8 as size, d.body -> 'http' as http
    from headway_read.manuals d
    order by d.id`);
}
