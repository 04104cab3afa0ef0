import { permanent } from "@headway/engine";
import { showBytes } from "./limits.ts";

/** Store of archive bytes, by SHA-256: the same content twice is one blob, and a blob never changes. */
export interface Blobs {
  /** Location, for people. */
  readonly place: string;
  /** Stores a stream; resolves when durable, and leaves nothing visible after a failure or abort. */
  put(source: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<StoredBlob>;
  /**
   * The blob's bytes. A missing blob throws the permanent fault `blob.missing`; a blob with wrong bytes
   * throws the permanent fault `blob.damaged` at its end.
   */
  open(sha256: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<Uint8Array>;
  has(sha256: string): Promise<boolean>;
  list(): Promise<string[]>;
  remove(sha256: string): Promise<void>;
}

export interface PutOptions {
  /** Larger streams are refused with the permanent fault `blob.too-large`. */
  readonly bytesMax?: number;
  readonly signal?: AbortSignal;
}

export interface StoredBlob {
  readonly sha256: string;
  readonly size: number;
  /** The blob is new. */
  readonly fresh: boolean;
}

/** A day is longer than any stream takes, so older unfinished blobs belong to dead processes. */
export const leftoverAgeMs = 24 * 60 * 60 * 1000;

export const missingBlob = (sha256: string, cause?: unknown): Error =>
  permanent("blob.missing", `Blob ${sha256} is not there: read its archive again.`, { cause });

export const damagedBlob = (sha256: string): Error =>
  permanent(
    "blob.damaged",
    `Blob ${sha256} is damaged, its bytes are no longer the ones that were stored: read its archive again.`,
  );

export const tooLargeBlob = (bytesMax: number): Error =>
  permanent("blob.too-large", `More than ${showBytes(bytesMax)}, which is all that was allowed.`);
