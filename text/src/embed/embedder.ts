/** Turns texts into vectors with closer directions for closer meanings. */
export interface Embedder {
  /** Vectors of different models cannot be compared, so this name changes with everything that changes vectors. */
  readonly model: string;
  /** The model cuts longer texts off, so callers make passages first. */
  readonly tokensMax: number;
  /** Tokens of the model. */
  tokenize(text: string): { readonly starts: ArrayLike<number>; readonly ends: ArrayLike<number> };
  /** One vector per text, in the same order. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
}

export interface EmbedOptions {
  readonly signal?: AbortSignal;
  /** The same for a repeated request, so a server can reuse its answer. */
  readonly idempotencyKey?: string;
}

/** Scales a vector to length 1, in place; a zero vector stays. */
export function normalise(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const each of vector) squares += each * each;
  const length = Math.sqrt(squares);
  if (length > 0) for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) / length;
  return vector;
}
