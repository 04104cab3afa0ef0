/** A file inside a text: uuencoded or in yEnc. */
export interface EmbeddedFile {
  readonly filename: string;
  readonly bytes: Buffer;
}

/** The text without embedded files of old mailers, and the files. */
export function takeEmbeddedFiles(body: Buffer): { rest: Buffer; files: readonly EmbeddedFile[] } {
  if (!mayHoldFiles(body)) return { rest: body, files: [] };
  const files: EmbeddedFile[] = [];
  const kept: Buffer[] = [];
  let keptFrom = 0;
  for (let at = 0; at < body.length && files.length < filesMax; ) {
    const found = isStart(body, at) ? readBlock(body, at) : null;
    if (found) {
      kept.push(body.subarray(keptFrom, at));
      if (found.file) files.push(found.file);
      keptFrom = found.end;
      at = found.end;
    } else at = nextLine(body, at);
  }
  kept.push(body.subarray(keptFrom));
  return { rest: files.length > 0 ? Buffer.concat(kept) : body, files };
}

/** A wholly uuencoded body. */
export function readUuencoded(body: Buffer): Buffer | null {
  const file = takeEmbeddedFiles(body).files[0];
  return file ? file.bytes : null;
}

const filesMax = 200;

const mayHoldFiles = (body: Buffer) =>
  body.includes("begin ") && (body.includes("\nbegin ") || isStart(body, 0) || body.includes("\n=ybegin "));

const isStart = (body: Buffer, at: number) =>
  (body[at] === 98 && body.toString("latin1", at, at + 6) === "begin ") ||
  (body[at] === 61 && body.toString("latin1", at, at + 8) === "=ybegin ");

interface Block {
  readonly file: EmbeddedFile | null;
  readonly end: number;
}

function readBlock(body: Buffer, at: number): Block | null {
  const header = lineAt(body, at).trimEnd();
  const uu = /^begin (?:-base64 )?[0-7]{3,4} (\S.{0,250})$/.exec(header);
  if (uu) return readUu(body, nextLine(body, at), uu[1]!);
  const yenc = /^=ybegin (?:[a-z]+=\d+ ){1,6}name=(.{1,250})$/.exec(header);
  return yenc ? readYenc(body, nextLine(body, at), yenc[1]!) : null;
}

/** Uuencoded lines state their length, unlike prose: a block with a wrong length is no block. */
function readUu(body: Buffer, from: number, filename: string): Block | null {
  const chunks: Buffer[] = [];
  let at = from;
  let isOver = false;
  while (at < body.length) {
    const line = lineAt(body, at).replace(/\r$/, "");
    const next = nextLine(body, at);
    if (line.trimEnd() === "end") return { file: { filename, bytes: Buffer.concat(chunks) }, end: next };
    const chunk: Buffer | null = isOver && line.trim() !== "" ? null : readUuLine(line);
    if (chunk === null) break;
    // A line without bytes is the last.
    isOver = chunk.length === 0;
    chunks.push(chunk);
    at = next;
  }
  // A truncated block.
  return chunks.length >= 3 ? { file: { filename, bytes: Buffer.concat(chunks) }, end: at } : null;
}

function readUuLine(line: string): Buffer | null {
  if (line.length > 100) return null;
  const length = line.length === 0 ? 0 : (line.charCodeAt(0) - 32) & 63;
  const groups = Math.ceil(length / 3);
  const data = line.slice(1);
  // Trailing blanks, which are zeros, get lost in transit; some encoders add a checksum.
  if (length > 45 + 18 || data.trimEnd().length > groups * 4 + 2) return null;
  if (length > 0 && data.length < groups * 4 - 3 && !data.includes(" ")) return null;
  for (let i = 0; i < line.length; i++) {
    if (line.charCodeAt(i) < 32 || line.charCodeAt(i) > 96) return null;
  }
  const out = Buffer.alloc(groups * 3);
  for (let group = 0; group < groups; group++) {
    const [a, b, c, d] = [0, 1, 2, 3].map((i) => {
      const code = data.charCodeAt(group * 4 + i);
      return Number.isNaN(code) ? 0 : (code - 32) & 63;
    }) as [number, number, number, number];
    out[group * 3] = (a << 2) | (b >> 4);
    out[group * 3 + 1] = ((b & 15) << 4) | (c >> 2);
    out[group * 3 + 2] = ((c & 3) << 6) | d;
  }
  return out.subarray(0, length);
}

function readYenc(body: Buffer, from: number, filename: string): Block | null {
  let end = body.indexOf("\n=yend", from);
  if (end < 0) end = body.length;
  const start = body.toString("latin1", from, from + 7) === "=ypart " ? nextLine(body, from) : from;
  const out = Buffer.allocUnsafe(Math.max(0, end - start));
  let size = 0;
  for (let i = start; i < end; i++) {
    let byte = body[i]!;
    if (byte === 13 || byte === 10) continue;
    if (byte === 61 && i + 1 < end) byte = body[++i]! - 64;
    out[size++] = (byte - 42) & 255;
  }
  return { file: { filename: filename.trim(), bytes: out.subarray(0, size) }, end: nextLine(body, end + 1) };
}

const nextLine = (body: Buffer, at: number) => {
  const newline = body.indexOf(10, at);
  return newline < 0 ? body.length : newline + 1;
};

const lineAt = (body: Buffer, at: number) => {
  const newline = body.indexOf(10, at);
  return body.toString("latin1", at, Math.min(newline < 0 ? body.length : newline, at + 400));
};
