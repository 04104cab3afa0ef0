import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { makeWordPieces, type WordPieces } from "../word-pieces.ts";
import { type Embedder, normalise } from "./embedder.ts";

/**
 * The built-in model: a table with a vector for each token; a text's vector is the sum. Blind to the order of words,
 * but without service or native code, in microseconds. `assets/README.md` says how the table is made.
 */
export function openStaticModel(): Embedder {
  return {
    model: staticModelName,
    tokensMax: staticTokensMax,
    tokenize: (text) => load().pieces.encode(text),
    async embed(texts, { signal } = {}) {
      const table = load();
      return texts.map((text) => {
        signal?.throwIfAborted();
        return sumOf(table, text);
      });
    },
  };
}

export const staticModelName = "static-minilm-256-v1";
export const staticTokensMax = 256;

const assetUrl = new URL("../../assets/static-minilm.bin", import.meta.url);
const assetSha256 = "8199057f1cd07d9b30f29ec4251d7e07c931a2e2af0dec199a8887ae258f5437";

/** The problem of the model file, in words; null: none. */
export function staticModelProblem(): string | null {
  try {
    const found = createHash("sha256").update(readFileSync(assetUrl)).digest("hex");
    return found === assetSha256 ? null : `its SHA-256 is ${found.slice(0, 16)}…, which is not the known one`;
  } catch (error) {
    return `it cannot be read: ${(error as Error).message}`;
  }
}

interface Table {
  readonly pieces: WordPieces;
  readonly dimensions: number;
  /** A row of integers for each token, to be multiplied by the row's scale. */
  readonly rows: Int8Array;
  readonly scales: Float32Array;
}

let loaded: Table | undefined;

/** Read once, on first use, from the folder beside `src` and `dist`. */
function load(): Table {
  loaded ??= parseTable(readFileSync(assetUrl));
  return loaded;
}

const magic = "HWSTATIC";
const headerBytes = 32;

/** The header's numbers are little-endian: version, tokens, dimensions, bytes of the vocabulary. */
export function parseTable(bytes: Uint8Array): Table {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < headerBytes || Buffer.from(bytes.subarray(0, 8)).toString("latin1") !== magic) {
    throw new Error("The static embedding model is damaged: its file does not begin as it should.");
  }
  const [version, tokens, dimensions, vocabularyBytes] = [8, 12, 16, 20].map((at) =>
    view.getUint32(at, true),
  ) as [number, number, number, number];
  const size = headerBytes + vocabularyBytes + tokens * 4 + tokens * dimensions;
  if (version !== 1 || bytes.byteLength !== size) {
    throw new Error(
      `The static embedding model is damaged: version ${version} with ${bytes.byteLength} bytes instead of ${size}.`,
    );
  }
  const scalesAt = headerBytes + vocabularyBytes;
  const rowsAt = scalesAt + tokens * 4;
  const words = Buffer.from(bytes.subarray(headerBytes, scalesAt)).toString("utf8").split("\n");
  return {
    pieces: makeWordPieces(words.slice(0, tokens)),
    dimensions,
    scales: Float32Array.from({ length: tokens }, (_, i) => view.getFloat32(scalesAt + i * 4, true)),
    rows: new Int8Array(bytes.buffer, bytes.byteOffset + rowsAt, tokens * dimensions),
  };
}

function sumOf({ pieces, dimensions, rows, scales }: Table, text: string): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const id of pieces.encode(text).ids) {
    const scale = scales[id] as number;
    const row = id * dimensions;
    for (let k = 0; k < dimensions; k++) sum[k] = (sum[k] as number) + (rows[row + k] as number) * scale;
  }
  return normalise(sum);
}
