import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, sep } from "node:path";
import { pipeline as flow } from "node:stream/promises";
import { type JsonSchema, permanent, type Receiver, transient } from "@headway/engine";
import { archives } from "./collections.ts";
import type { Consensus } from "./consensus.ts";
import { feed } from "./feed.ts";

/** The event type for archives from other services. */
export const archiveIngested = "ArchiveIngested";

/** Data of an `ArchiveIngested` from outside: an archive to read, or an archive already stored. */
export const archiveIngestedSchema: JsonSchema = {
  type: "object",
  properties: {
    document_id: {
      type: "string",
      minLength: 1,
      description: "An archive that is, or will be in a moment, in Headway.",
    },
    source_name: { type: "string", minLength: 1, maxLength: 200, description: "The list it belongs to." },
    source_type: { enum: ["rsync", "imap", "http", "local"] },
    source_url: { type: "string", minLength: 1, description: "Where it can be fetched by HTTP(S)." },
    file_path: {
      type: "string",
      minLength: 1,
      description: "A file in the folder that HEADWAY_INBOX names.",
    },
    file_name: { type: "string", minLength: 1, maxLength: 200 },
    content_base64: { type: "string", minLength: 4, description: "The archive itself, if it is small." },
    file_size_bytes: { type: "integer", minimum: 0 },
    file_hash_sha256: {
      type: "string",
      pattern: "^[0-9a-f]{64}$",
      description: "Checked before a file or content is read.",
    },
  },
  anyOf: [
    { required: ["document_id"] },
    { required: ["source_name", "file_path"] },
    { required: ["source_name", "file_name", "content_base64"] },
    { required: ["source_name", "source_url"] },
  ],
};

interface Told {
  readonly source_name: string;
  readonly source_url?: string;
  readonly file_path?: string;
  readonly file_name?: string;
  readonly content_base64?: string;
  readonly file_hash_sha256?: string;
}

/**
 * Accepts archives announced by other services. Paths are read only below `inbox`, the web only by public addresses.
 */
export const receiveArchives = (consensus: Promise<Consensus>, inbox: string | null): Receiver => ({
  type: archiveIngested,
  data: archiveIngestedSchema,
  collection: archives.name,
  async accept(data, about) {
    const told = data as unknown as Told;
    const ours = await consensus;
    const read = async (place: string) => {
      const fed = await feed(ours, [place], { ...about, list: told.source_name });
      const [refused] = fed.refused;
      if (refused)
        throw mayPass.has(refused.code)
          ? transient(refused.code, refused.because)
          : permanent(refused.code, refused.because);
      return { inserted: fed.accepted, changed: 0 };
    };
    if (told.file_path !== undefined) {
      const path = await insideOf(inbox, told.file_path);
      await checkHash(path, told);
      return await read(path);
    }
    if (told.content_base64 === undefined) return await read(webAddress(told.source_url));
    const folder = await mkdtemp(join(tmpdir(), "headway-inbox-"));
    try {
      const path = join(folder, plainName(told.file_name as string));
      await writeFile(path, Buffer.from(told.content_base64, "base64"), { mode: 0o600 });
      await checkHash(path, told);
      return await read(path);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

/** Transient failures of the web server. */
const mayPass = new Set(["url.unavailable", "url.unreachable"]);

/** A sender of events must not gain access to any file of this machine. */
async function insideOf(inbox: string | null, given: string): Promise<string> {
  if (inbox === null)
    throw permanent(
      "archive.path",
      "Files are read for events only below the folder that HEADWAY_INBOX names, and it is not set.",
    );
  const folder = await realpath(inbox).catch(() => {
    throw permanent("archive.path", "The folder that HEADWAY_INBOX names is not there.");
  });
  const path = await realpath(
    join(folder, given.startsWith(folder) ? given.slice(folder.length) : given),
  ).catch(() => {
    // The writing service and this process may see a shared disk at different moments.
    throw transient("path.missing", "There is no such file below the folder that HEADWAY_INBOX names.");
  });
  // Opening a pipe or a device would wait for its other end without a limit.
  if (!(await lstat(path)).isFile())
    throw permanent("archive.path", "It is no plain file: only these are read for events.");
  if (!path.startsWith(folder + sep))
    throw permanent("archive.path", "The file is outside of the folder that HEADWAY_INBOX names.");
  return path;
}

function webAddress(given = ""): string {
  if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return given;
  throw permanent("url.invalid", "The source_url is no address that begins with http:// or https://.");
}

const plainName = (name: string): string =>
  basename(name)
    .replace(/[^\w.-]+/g, "_")
    .replace(/^\.+/, "") || "archive.mbox";

async function checkHash(path: string, { file_hash_sha256: wanted }: Told): Promise<void> {
  if (wanted === undefined) return;
  const hash = createHash("sha256");
  await flow(createReadStream(path), hash);
  if (hash.digest("hex") !== wanted)
    throw permanent("archive.hash", "The file has not the SHA-256 that the event says.");
}
