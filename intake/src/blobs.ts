import { permanent } from "@headway/engine";
import { showBytes } from "./limits.ts";

/**
 * Where the bytes of archives lie, under the SHA-256 of what they are: the same content twice is one blob, and a
 * blob never changes.
 */
export interface Blobs {
  /** Where people find them. */
  readonly place: string;
  /** Stores a stream; resolves when it is safe, and leaves nothing that can be seen when it fails or is aborted. */
  put(source: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<StoredBlob>;
  /**
   * Its bytes. A missing one throws the permanent fault `blob.missing`, one whose bytes are not the promised ones
   * throws the permanent fault `blob.damaged` at its end.
   */
  open(sha256: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<Uint8Array>;
  has(sha256: string): Promise<boolean>;
  list(): Promise<string[]>;
  remove(sha256: string): Promise<void>;
}

export interface PutOptions {
  /** More than this is refused with the permanent fault `blob.too-large`. */
  readonly bytesMax?: number;
  readonly signal?: AbortSignal;
}

export interface StoredBlob {
  readonly sha256: string;
  readonly size: number;
  /** It was not there before. */
  readonly fresh: boolean;
}

/** A day is longer than any stream takes, so what is older and not whole belongs to a process that died. */
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
