import { readFileSync } from "node:fs";

export const stanceKinds = ["agrees", "disagrees", "will-change", "decides", "asks"] as const;
export type StanceKind = (typeof stanceKinds)[number];

/** Weights of the trained reader, by row; a row is a feature. */
export interface StanceWeights {
  readonly bias: readonly number[];
  /** From this probability on a kind counts as found; balances precision and recall. */
  readonly threshold: readonly number[];
  /** From this probability on a kind is sure enough to be shown; precision of 0.85 on lists not trained on. */
  readonly sure: readonly number[];
  /** From this probability on an answer to the question takes the side of its kind, with the same precision. */
  readonly answer: readonly number[];
  /** -1 for an unknown feature. */
  readonly rowOf: (key: number) => number;
  readonly idfOf: (row: number) => number;
  readonly weightOf: (row: number, kind: number) => number;
}

const heads = 5;
const headBytes = 4 + heads * stanceKinds.length * 4;
const rowBytes = 4 + 1 + stanceKinds.length;
const idfStep = 1 / 16;

/** The weights' file: number of rows; bias, threshold, sure, answer and step by kind; keys; frequencies; weights of a byte. */
export function unpackWeights(bytes: Uint8Array): StanceWeights {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rows = view.getUint32(0, true);
  if (bytes.byteLength !== headBytes + rows * rowBytes)
    throw new Error(`The weights of stances are ${bytes.byteLength} bytes long: run npm run train:stances.`);
  const head = (nth: number): readonly number[] =>
    stanceKinds.map((_, at) => view.getFloat32(4 + (nth * stanceKinds.length + at) * 4, true));
  const [bias, threshold, sure, answer, step] = [head(0), head(1), head(2), head(3), head(4)];
  const rowOf = indexKeys(rows, (row) => view.getUint32(headBytes + row * 4, true));
  const idfAt = headBytes + rows * 4;
  const weightsAt = idfAt + rows;
  return {
    bias,
    threshold,
    sure,
    answer,
    rowOf,
    idfOf: (row) => view.getUint8(idfAt + row) * idfStep,
    weightOf: (row, kind) =>
      view.getInt8(weightsAt + row * stanceKinds.length + kind) * (step[kind] as number),
  };
}

/** A table at least twice as large as its keys; a full place passes a key on to the next. A Map of large numbers takes five times as long. */
function indexKeys(rows: number, keyOf: (row: number) => number): (key: number) => number {
  const size = 2 ** Math.ceil(Math.log2(2 * rows + 2));
  const keys = new Uint32Array(size);
  const places = new Int32Array(size).fill(-1);
  const placeOf = (key: number): number => {
    let at = Math.imul(key, 0x9e3779b1) >>> (32 - Math.log2(size));
    while (places[at]! >= 0 && keys[at] !== key) at = (at + 1) % size;
    return at;
  };
  for (let row = 0; row < rows; row++) {
    const at = placeOf(keyOf(row));
    keys[at] = keyOf(row);
    places[at] = row;
  }
  return (key) => places[placeOf(key)]!;
}

/** Weights before they are packed; `weights` by row, then kind. */
export interface TrainedWeights {
  readonly keys: readonly number[];
  readonly idf: readonly number[];
  readonly weights: readonly (readonly number[])[];
  readonly bias: readonly number[];
  readonly threshold: readonly number[];
  readonly sure: readonly number[];
  readonly answer: readonly number[];
}

export function packWeights(trained: TrainedWeights): Uint8Array {
  const { keys, idf, weights, bias, threshold, sure, answer } = trained;
  const rows = keys.length;
  const bytes = new Uint8Array(headBytes + rows * rowBytes);
  const view = new DataView(bytes.buffer);
  const step = stanceKinds.map(
    (_, kind) => weights.reduce((most, row) => Math.max(most, Math.abs(row[kind] as number)), 1e-9) / 127,
  );
  view.setUint32(0, rows, true);
  for (const [nth, head] of [bias, threshold, sure, answer, step].entries())
    for (const [at, value] of head.entries())
      view.setFloat32(4 + (nth * stanceKinds.length + at) * 4, value, true);
  const idfAt = headBytes + rows * 4;
  for (let row = 0; row < rows; row++) {
    view.setUint32(headBytes + row * 4, keys[row] as number, true);
    view.setUint8(idfAt + row, roundIdf(idf[row] as number) / idfStep);
    for (const [kind, value] of (weights[row] as readonly number[]).entries())
      view.setInt8(
        idfAt + rows + row * stanceKinds.length + kind,
        Math.round(value / (step[kind] as number)),
      );
  }
  return bytes;
}

/** Frequencies are trained as they are stored. */
export const roundIdf = (idf: number): number => Math.min(255, Math.round(idf / idfStep)) * idfStep;

let loaded: StanceWeights | undefined;

/** The weights that come with the package, read at the first use. */
export function loadWeights(): StanceWeights {
  loaded ??= unpackWeights(readFileSync(new URL("../../../weights/stances.bin", import.meta.url)));
  return loaded;
}
