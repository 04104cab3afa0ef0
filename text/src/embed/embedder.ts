/** Makes vectors of texts whose directions are the closer, the nearer their meanings are. */
export interface Embedder {
  /** Vectors of different models cannot be compared, so this name changes with everything that changes vectors. */
  readonly model: string;
  /** Longer texts are cut off by the model, so callers cut them into passages first. */
  readonly tokensMax: number;
  /** Tokens as the model sees them. */
  tokenize(text: string): { readonly starts: ArrayLike<number>; readonly ends: ArrayLike<number> };
  /** One vector a text, in the same order. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
}

export interface EmbedOptions {
  readonly signal?: AbortSignal;
  /** The same for the same request made again, so that a server can give the same answer without working twice. */
  readonly idempotencyKey?: string;
}

/** Scales a vector to length 1, in place; one that is all zeros stays. */
export function normalise(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const each of vector) squares += each * each;
  const length = Math.sqrt(squares);
  if (length > 0) for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) / length;
  return vector;
}
