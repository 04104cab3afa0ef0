import { type Queryable, sql } from "@headway/engine";

/** State of a blob: all bytes, fewer than stored, unfinished, or nothing. */
export type BlobStanding = "whole" | "cut" | "unfinished" | "missing";

export async function readStanding(db: Queryable, hash: string): Promise<BlobStanding> {
  const [row] = await db.query<{ standing: BlobStanding }>(sql`
    select case
        when not b.whole then 'unfinished'
        when b.size = coalesce(sum(octet_length(p.bytes)), 0) then 'whole'
        else 'cut'
      end as standing
    from headway.blob b
    left join headway.blob_piece p on p.hash = b.hash
    where b.hash = ${hash}
    group by b.hash`);
  return row?.standing ?? "missing";
}

/** Two processes may write the same blob at once: the bytes are the same, so both write one blob. */
export async function beginBlob(
  db: Queryable,
  { hash, size, at }: { hash: string; size: number; at: Date },
): Promise<void> {
  await db.query(sql`
    insert into headway.blob (hash, size, written_at)
    values (${hash}, ${size}, ${at})
    on conflict (hash) do nothing`);
}

/** Adds a piece, and renews the time of the last write. No effect on a whole or removed blob. */
export async function addPiece(
  db: Queryable,
  { hash, number, bytes, at }: { hash: string; number: number; bytes: Uint8Array; at: Date },
): Promise<void> {
  await db.query(sql`
    with blob as (
      update headway.blob b
      set written_at = ${at}
      where b.hash = ${hash} and not b.whole
      returning b.hash
    )
    insert into headway.blob_piece (hash, number, bytes)
    select blob.hash, ${number}::int4, ${bytes}
    from blob
    on conflict (hash, number) do nothing`);
}

/** Makes the blob visible; false: bytes are missing, or the blob is whole already. */
export async function finishBlob(db: Queryable, hash: string): Promise<boolean> {
  const finished = await db.query(sql`
    update headway.blob b
    set whole = true
    where b.hash = ${hash} and not b.whole
      and b.size = (
        select coalesce(sum(octet_length(p.bytes)), 0)
        from headway.blob_piece p
        where p.hash = b.hash
      )
    returning b.hash`);
  return finished.length > 0;
}

/** A piece of a whole blob; null after the last piece. */
export async function readPiece(db: Queryable, hash: string, number: number): Promise<Uint8Array | null> {
  const [row] = await db.query<{ bytes: Uint8Array }>(sql`
    select p.bytes
    from headway.blob_piece p
    join headway.blob b on b.hash = p.hash and b.whole
    where p.hash = ${hash} and p.number = ${number}::int4`);
  return row?.bytes ?? null;
}

export async function removeBlob(db: Queryable, hash: string): Promise<void> {
  await db.query(sql`delete from headway.blob b where b.hash = ${hash}`);
}

/** Deletes unfinished blobs without a write since. */
export async function removeUnfinished(db: Queryable, since: Date): Promise<void> {
  await db.query(sql`delete from headway.blob b where not b.whole and b.written_at < ${since}`);
}

/** Hashes of all whole blobs. */
export async function listBlobs(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ hash: string }>(sql`
    select b.hash
    from headway.blob b
    left join headway.blob_piece p on p.hash = b.hash
    where b.whole
    group by b.hash
    having b.size = coalesce(sum(octet_length(p.bytes)), 0)
    order by b.hash`);
  return rows.map(({ hash }) => hash);
}

/** Whether a pipeline of this database has made the tables for blobs. */
export async function hasBlobTables(db: Queryable): Promise<boolean> {
  const [found] = await db.query<{ there: boolean }>(
    sql`select to_regclass('headway.blob') is not null as there`,
  );
  return found?.there === true;
}
