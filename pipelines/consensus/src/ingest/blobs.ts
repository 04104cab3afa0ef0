/**
 * Where the bytes of archives lie, under the SHA-256 of what they are: the same content twice is one blob, and a
 * blob never changes.
 */
export interface Blobs {
  /** Stores a stream; resolves when it is safe on disk, and leaves nothing behind when it fails or is aborted. */
  put(source: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<StoredBlob>;
  /**
   * Its bytes. A missing one throws the permanent fault `blob.missing`, one whose bytes are not the promised ones
   * throws the permanent fault `blob.damaged` at its end.
   */
  open(sha256: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<Uint8Array>;
  has(sha256: string): Promise<boolean>;
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
