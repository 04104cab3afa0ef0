import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, open, rename, rm, stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { basename, join } from "node:path";
import { DefinitionError } from "@headway/engine";
import type { TakeFile, Uploaded } from "./library.ts";

interface Upload {
  readonly folder: string;
  readonly path: string;
  readonly list: string | undefined;
  readonly person: string;
  bytes: number;
  touched: number;
  writing: boolean;
}

type Read = Uploaded & { readonly sha256: string };

/** Size of a piece: a broken connection costs one piece. */
export const pieceBytesMax = 8 * 1024 * 1024;
const fileBytesMax = 4 * 1024 ** 3;
const uploadsMax = 10;
const idleMs = 30 * 60_000;

export interface UploadsOptions {
  readonly data: string;
  readonly takeFile: TakeFile | null;
}

/** Files sent by browsers piece by piece, kept in a separate folder until reading. */
export function makeUploads({ data, takeFile }: UploadsOptions) {
  const uploads = new Map<string, Upload>();
  const parent = join(data, "uploads");
  let last: Promise<unknown> = Promise.resolve();

  async function begin(person: string, name: string, list: string | undefined): Promise<{ id: string }> {
    if (!takeFile) throw new DefinitionError("No pipeline of this application reads files.");
    await forgetIdle();
    if (uploads.size >= uploadsMax)
      throw new DefinitionError("Too many uploads at once: wait for one to end.");
    await mkdir(parent, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(parent, "file-"));
    const id = randomBytes(12).toString("hex");
    const touched = Date.now();
    uploads.set(id, {
      folder,
      path: join(folder, safeName(name)),
      list,
      person,
      bytes: 0,
      touched,
      writing: false,
    });
    return { id };
  }

  function find(person: string, id: string): Upload {
    const found = uploads.get(id);
    if (!found || found.person !== person)
      throw new DefinitionError(
        "The upload is unknown: it ended, or was idle for half an hour. Begin again.",
      );
    found.touched = Date.now();
    return found;
  }

  /** Takes a piece; a repeated piece is not written again. */
  async function take(
    person: string,
    id: string,
    at: number,
    request: IncomingMessage,
  ): Promise<{ bytes: number }> {
    const upload = find(person, id);
    if (upload.writing) throw new DefinitionError("Another piece of this file is being written.");
    upload.writing = true;
    try {
      const piece = await readPiece(request);
      if (at > upload.bytes) throw new DefinitionError(`A piece is missing: go on at ${upload.bytes}.`);
      const fresh = piece.subarray(upload.bytes - at);
      if (upload.bytes + fresh.length > fileBytesMax)
        throw new DefinitionError("The file is larger than 4 GiB.");
      if (fresh.length > 0) await append(upload.path, fresh);
      upload.bytes += fresh.length;
      return { bytes: upload.bytes };
    } finally {
      upload.writing = false;
    }
  }

  /** Reads one file at a time, and removes the file in any case. */
  async function finish(person: string, id: string): Promise<Read> {
    const upload = find(person, id);
    uploads.delete(id);
    const reading = last
      .then(() => read(upload))
      .finally(() => rm(upload.folder, { recursive: true, force: true }));
    last = reading.catch(() => undefined);
    return await reading;
  }

  async function read({ path, list }: Upload): Promise<Read> {
    if (!(await stat(path).catch(() => null))) throw new DefinitionError("The file is empty.");
    const sha256 = await digestOf(path);
    // A file of the same name, sent again, has the same place: new content replaces the old.
    const folder = join(parent, "reading");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const place = join(folder, basename(path));
    await rename(path, place);
    try {
      const answer = await (takeFile as TakeFile)(place, { ...(list && { list }) });
      return { ...answer, sha256 };
    } finally {
      await rm(place, { force: true });
    }
  }

  async function forgetIdle(): Promise<void> {
    for (const [id, { touched, folder }] of uploads) {
      if (touched > Date.now() - idleMs) continue;
      uploads.delete(id);
      await rm(folder, { recursive: true, force: true });
    }
  }

  return { begin, take, finish, close: () => rm(parent, { recursive: true, force: true }) };
}

/** The name tells the list and the kind of an archive; folders are dropped. */
function safeName(name: string): string {
  const last = basename(name.replaceAll("\\", "/")).replace(/[^\p{L}\p{N}._+@-]/gu, "_");
  const safe = last.replace(/^[.]+/, "").slice(-120);
  return safe === "" ? "upload" : safe;
}

async function readPiece(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > pieceBytesMax) throw new DefinitionError(`A piece is larger than ${pieceBytesMax} bytes.`);
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

async function append(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(path);
  try {
    for await (const part of file.createReadStream()) hash.update(part as Buffer);
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}
