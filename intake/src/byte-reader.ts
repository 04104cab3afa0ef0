/** A byte stream with lookahead. */
export interface ByteReader {
  /** Up to `size` bytes, left unread; fewer only at the end. */
  peek(size: number): Promise<Buffer>;
  /** Exactly `size` bytes; fewer only at the end. */
  take(size: number): Promise<Buffer>;
  /** The next bytes, at most `sizeMax`; null at the end. */
  next(sizeMax: number): Promise<Buffer | null>;
  /** Puts bytes back. */
  unread(bytes: Buffer): void;
  /** All remaining bytes; stopping early leaves the rest unread. */
  rest(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

export function makeByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const iterator = source[Symbol.asyncIterator]();
  let waiting: Buffer[] = [];
  const next = async (sizeMax: number): Promise<Buffer | null> => {
    let piece = waiting.shift();
    while (piece === undefined || piece.length === 0) {
      const { done, value } = await iterator.next();
      if (done) return null;
      piece = asBuffer(value);
    }
    if (piece.length > sizeMax) waiting.unshift(piece.subarray(sizeMax));
    return piece.length > sizeMax ? piece.subarray(0, sizeMax) : piece;
  };
  const take = async (size: number): Promise<Buffer> => {
    const pieces: Buffer[] = [];
    let missing = size;
    while (missing > 0) {
      const piece = await next(missing);
      if (piece === null) break;
      pieces.push(piece);
      missing -= piece.length;
    }
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  };
  const unread = (bytes: Buffer) => {
    if (bytes.length > 0) waiting.unshift(bytes);
  };
  return {
    next,
    take,
    unread,
    async peek(size) {
      const bytes = await take(size);
      unread(bytes);
      return bytes;
    },
    async *rest() {
      for (;;) {
        const piece = await next(Number.POSITIVE_INFINITY);
        if (piece === null) return;
        yield piece;
      }
    },
    async close() {
      waiting = [];
      await iterator.return?.();
    },
  };
}

const asBuffer = (bytes: Uint8Array) =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
