/** The part of a stream in memory: bytes `start` to `end`, counted from the stream's first byte. */
export interface Window {
  readonly start: () => number;
  readonly end: () => number;
  /** Reads until byte `offset - 1` is available; false at an earlier end of the stream. */
  readonly reach: (offset: number) => Promise<boolean>;
  /** Drops bytes before `offset`. */
  readonly drop: (offset: number) => void;
  /** Position of `needle` at or after `from`, or -1. */
  readonly find: (needle: Buffer, from: number) => number;
  /** The byte at `offset`, or -1 outside of the window. */
  readonly byteAt: (offset: number) => number;
  /** The available part of `from` to `to`, overwritten by the next `reach`. */
  readonly view: (from: number, to: number) => Buffer;
  readonly close: () => Promise<void>;
}

const firstBytes = 256 * 1024;
/** A source may yield one huge chunk; it is taken in pieces, so the window stays small. */
const pieceBytes = 256 * 1024;

export function openWindow(source: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Window {
  const chunks = source[Symbol.asyncIterator]();
  let store = Buffer.allocUnsafe(firstBytes);
  let base = 0;
  let head = 0;
  let tail = 0;
  let pending: Uint8Array = new Uint8Array(0);
  let ended = false;

  function append(piece: Uint8Array): void {
    if (tail + piece.length > store.length) {
      const used = tail - head;
      const roomy = used + piece.length > store.length / 2;
      const next = roomy ? Buffer.allocUnsafe(Math.max(store.length * 2, used + piece.length)) : store;
      store.copy(next, 0, head, tail);
      store = next;
      base += head;
      head = 0;
      tail = used;
    }
    store.set(piece, tail);
    tail += piece.length;
  }

  async function more(): Promise<boolean> {
    while (pending.length === 0 && !ended) {
      signal?.throwIfAborted();
      const next = await chunks.next();
      ended = next.done === true;
      if (!next.done) pending = next.value;
    }
    if (pending.length === 0) return false;
    append(pending.subarray(0, pieceBytes));
    pending = pending.subarray(pieceBytes);
    return true;
  }

  const clamp = (offset: number) => Math.min(Math.max(offset - base, head), tail);
  return {
    start: () => base + head,
    end: () => base + tail,
    async reach(offset) {
      while (base + tail < offset) if (!(await more())) return false;
      return true;
    },
    drop(offset) {
      head = clamp(offset);
    },
    find(needle, from) {
      const at = store.subarray(0, tail).indexOf(needle, clamp(from));
      return at < 0 ? -1 : base + at;
    },
    byteAt(offset) {
      const at = offset - base;
      return at < head || at >= tail ? -1 : (store[at] ?? -1);
    },
    view: (from, to) => store.subarray(clamp(from), clamp(to)),
    async close() {
      if (!ended) await chunks.return?.();
    },
  };
}
