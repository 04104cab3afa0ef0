import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type IngestOptions, IngestRefusal, ingestPlaces, openFolderBlobs } from "../../intake/src/index.ts";
import { makeTar, makeZip } from "../../intake/test/packed.ts";
import { mailRecogniser } from "../../pipelines/consensus/src/ingest/recognise-mail.ts";

const mbox = (text: string) => `From a@b Mon Jan  3 10:00:00 2005\nFrom: a@b\nSubject: ${text}\n\n${text}\n`;

let folder: string;
let server: Server | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headway-ingest-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server?.closeAllConnections();
  server?.close();
  server = null;
  await rm(folder, { recursive: true, force: true });
});

async function lay(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A reader with a memory, like the pipeline; its results are words. */
async function makeReader() {
  const blobs = await openFolderBlobs(join(folder, "blobs"));
  const contents = new Map<string, string>();
  const states = new Map<string, { etag: string | null; lastModified: string | null }>();
  const read = async (places: readonly string[], options: Partial<IngestOptions> = {}) => {
    const lines: string[] = [];
    const all: IngestOptions = {
      recogniser: mailRecogniser,
      blobs,
      allowPrivate: true,
      known: async (list, sha256) => contents.get(`${list} ${sha256}`) ?? null,
      remembered: async (url) => states.get(url) ?? null,
      limits: { ratioFreeBytes: 1 << 20 },
      ...options,
    };
    try {
      for await (const one of ingestPlaces(places, all)) {
        const because = "because" in one ? one.because.replaceAll(folder, "~") : "";
        if (one.kind === "skipped") lines.push(`skipped: ${because}`);
        else if (one.kind === "unchanged") lines.push(`unchanged ${one.list}/${one.key}: ${because}`);
        else {
          contents.set(`${one.list} ${one.blob}`, one.key);
          if (one.http) states.set(one.place, one.http);
          lines.push(`${one.list}/${one.key} ${one.size}${one.http ? " http" : ""}`);
        }
      }
    } catch (error) {
      if (!(error instanceof IngestRefusal)) throw error;
      lines.push(`${error.code}: ${error.message.replaceAll(folder, "~")}`);
    }
    return lines;
  };
  return { read, blobs };
}

/** Number of blobs, and of drafts. */
async function storedFiles(): Promise<number> {
  const found = await readdir(join(folder, "blobs"), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return found.filter((entry) => entry.isFile()).length;
}

describe("reading paths", () => {
  it("the same archive again, zipped or not, changes nothing", async () => {
    const { read } = await makeReader();
    const plain = await lay("quic/2005-May.txt", mbox("may"));
    expect(await read([plain])).toEqual([`quic/2005-May.txt ${mbox("may").length}`]);
    const zipped = await lay("other/quic/2005-May.txt.gz", gzipSync(mbox("may")));
    const zip = await lay("quic.zip", makeZip([{ name: "all/May.mbox", data: mbox("may") }]));
    expect(await read([plain, zipped, zip])).toEqual([
      "unchanged quic/2005-May.txt: it has been read already",
      "unchanged quic/2005-May.txt: it has been read already",
      "unchanged quic/quic/all/May.mbox: it is the same as 2005-May.txt",
    ]);
    expect(await storedFiles()).toBe(1);
  });

  it("an archive that has grown is new under the same key", async () => {
    const { read } = await makeReader();
    const path = await lay("quic/2005-May.txt", mbox("one"));
    await read([path]);
    await writeFile(path, mbox("one") + mbox("two"));
    expect(await read([path])).toEqual([`quic/2005-May.txt ${mbox("one").length * 2}`]);
  });

  it("two files with one key and different content stand side by side", async () => {
    const { read } = await makeReader();
    const paths = [await lay("a/inbox", mbox("one")), await lay("b/inbox", mbox("other"))];
    const size = mbox("one").length;
    expect(await read(paths, { list: "My List" })).toEqual([
      `my-list/inbox ${size}`,
      `my-list/inbox~2 ${size + 4}`,
    ]);
    expect(await read(paths, { list: "My List" })).toEqual([
      "unchanged my-list/inbox: it has been read already",
      "unchanged my-list/inbox~2: it has been read already",
    ]);
  });

  it("a refusal is one sentence and changes nothing", async () => {
    const { read } = await makeReader();
    const good = await lay("quic/a.mbox", mbox("a"));
    const bomb = gzipSync(Buffer.concat([Buffer.from(mbox("x")), Buffer.alloc(2 << 20)]));
    expect(await read([good, join(folder, "no.mbox")])).toEqual([
      "path.missing: There is no file or folder ~/no.mbox: check the spelling.",
    ]);
    expect(await read([good, "gopher://x/y"])).toEqual([
      "url.invalid: gopher://x/y is not an HTTP(S) address: only these are read.",
    ]);
    const trust = "if you trust it, unpack it yourself and read what came out.";
    expect(await read([await lay("bomb.gz", bomb)])).toEqual([
      `archive.bomb: ~/bomb.gz unpacks to more than 200 times its size (limit archive.ratio): ${trust}`,
    ]);
    const tar = makeTar([
      { name: "a.mbox", data: mbox("a") },
      { name: "bomb", data: bomb },
    ]);
    expect(await read([await lay("bomb.tgz", gzipSync(tar))])).toEqual([
      `archive.bomb: ~/bomb.tgz unpacks to more than 200 times its size (limit archive.ratio): ${trust}`,
    ]);
    const cut = gzipSync(mbox("long ".repeat(40_000))).subarray(0, -4);
    expect(await read([await lay("cut.gz", cut)])).toEqual([
      "archive.damaged: ~/cut.gz is cut off in the middle of its compressed data: copy or download it again.",
    ]);
    expect(await storedFiles()).toBe(0);
  });

  it("in a folder, a bomb and a damaged file cost only themselves", async () => {
    const { read } = await makeReader();
    await lay("wg/a.mbox", mbox("a"));
    await lay("wg/b.gz", gzipSync(Buffer.concat([Buffer.from(mbox("x")), Buffer.alloc(2 << 20)])));
    await lay("wg/c.gz", gzipSync(mbox("c")).subarray(0, -4));
    await lay("wg/d.mbox", mbox("d"));
    const lines = await read([join(folder, "wg")]);
    expect(lines[0]).toBe(`wg/a.mbox ${mbox("a").length}`);
    expect(lines[1]).toContain(
      "skipped: ~/wg/b.gz unpacks to more than 200 times its size (limit archive.ratio)",
    );
    expect(lines[2]).toContain("skipped: ~/wg/c.gz is cut off");
    expect(lines[3]).toBe(`wg/d.mbox ${mbox("d").length}`);
    expect(await storedFiles()).toBe(2);
  });

  it("progress is told, and reading stops when it shall", async () => {
    const { read } = await makeReader();
    const large = mbox("x".repeat(3_000_000));
    const path = await lay("wg/a.mbox", large);
    const told: number[] = [];
    await read([path], { onProgress: ({ bytes }) => told.push(bytes) });
    expect(told[0]).toBe(0);
    expect(told.length).toBeGreaterThan(3);
    expect(told.at(-1)).toBe(large.length);
    const stop = new AbortController();
    const stopping = read([await lay("wg/b.mbox", `${large}!`)], {
      signal: stop.signal,
      onProgress: ({ bytes }) => bytes > 1e6 && stop.abort(new Error("enough")),
    });
    await expect(stopping).rejects.toThrow("enough");
    expect(await storedFiles()).toBe(1);
  });
});

describe("reading addresses", () => {
  it("an archive is read once, and asked for only when it changed", async () => {
    const { read } = await makeReader();
    let text = mbox("may");
    const statuses: number[] = [];
    const home = await serve((request, response) => {
      const etag = `"${text.length}"`;
      const status = request.headers["if-none-match"] === etag ? 304 : 200;
      statuses.push(status);
      response.writeHead(status, { etag }).end(status === 200 ? gzipSync(text) : undefined);
    });
    const url = `${home}/pipermail/quic/2005-May.txt.gz`;
    expect(await read([url])).toEqual([`quic/2005-May.txt ${text.length} http`]);
    const same = "unchanged quic/2005-May.txt: it has not changed since it was last read";
    expect(await read([url])).toEqual([same]);
    text += mbox("more");
    expect(await read([url])).toEqual([`quic/2005-May.txt ${text.length} http`]);
    expect(statuses).toEqual([200, 304, 200]);
  });

  it("an archive served as what it is or as a compressed text is the same", async () => {
    const { read } = await makeReader();
    const home = await serve((request, response) => {
      if (request.url?.endsWith("?encoded")) response.setHeader("content-encoding", "x-gzip");
      response.end(gzipSync(mbox("may")));
    });
    await read([`${home}/quic/May.txt.gz`]);
    expect((await read([`${home}/quic/May.txt.gz?encoded`]))[0]).toMatch(
      /^unchanged quic\/May\.txt\.gz~[0-9a-f]{12}: it is the same as May\.txt$/,
    );
  });

  it("the archives of an index page are read, and a missing one costs only itself", async () => {
    const { read } = await makeReader();
    const home = await serve((request, response) => {
      if (request.headers.authorization !== "Basic bWU6cHc=") return response.writeHead(401).end();
      if (request.url === "/pipermail/quic") {
        return response.writeHead(301, { location: "/pipermail/quic/" }).end();
      }
      if (request.url === "/pipermail/quic/") {
        response.setHeader("content-type", "text/html");
        return response.end(
          '<a href="2005-May.txt.gz">x</a><a href="2005-June.txt">y</a><a href="gone.mbox">z</a>',
        );
      }
      if (request.url?.endsWith("gone.mbox")) return response.writeHead(404).end();
      response.end(mbox(request.url ?? ""));
    });
    const lines = await read([`${home.replace("http://", "http://me:pw@")}/pipermail/quic`]);
    expect(lines).toEqual([
      expect.stringMatching(/^quic\/2005-May\.txt \d+$/),
      expect.stringMatching(/^quic\/2005-June\.txt \d+$/),
      `skipped: There is nothing at ${home}/pipermail/quic/gone.mbox (404): check the address.`,
    ]);
  });

  it("a zip file is remembered only after its last entry, and only when all of it was read", async () => {
    const { read } = await makeReader();
    const parts = [
      { name: "a.mbox", data: mbox("a") },
      { name: "b.mbox", data: mbox("b") },
    ];
    const home = await serve((request, response) => {
      const more = request.url === "/more.zip" ? [{ name: "c.mbox", data: "words" }] : [];
      response.writeHead(200, { etag: '"1"' }).end(makeZip([...more, ...parts]));
    });
    const size = mbox("a").length;
    expect(await read([`${home}/all.zip`])).toEqual([
      `127.0.0.1/all/a.mbox ${size}`,
      `127.0.0.1/all/b.mbox ${size} http`,
    ]);
    expect(await read([`${home}/more.zip`], { list: "more" })).toEqual([
      expect.stringContaining("c.mbox is not a mail archive"),
      `more/more/a.mbox ${size}`,
      `more/more/b.mbox ${size}`,
    ]);
  });

  it("a page without archives, something that is no mail and a private address are refused", async () => {
    const { read } = await makeReader();
    const own = join(folder, "temporary");
    await mkdir(own);
    vi.stubEnv("TMPDIR", own);
    const home = await serve((request, response) => {
      if (request.url === "/page") response.setHeader("content-type", "text/html").end("<p>nothing");
      else response.end("%PDF-1.7");
    });
    expect(await read([`${home}/page`])).toEqual([expect.stringMatching(/^url\.no-archives: /)]);
    expect(await read([`${home}/x.mbox`])).toEqual([
      `archive.not-mail: ${home}/x.mbox is not a mail archive, it is a PDF document: name a file or folder with mail.`,
    ]);
    expect(await read([`${home}/x.mbox`], { allowPrivate: false })).toEqual([
      expect.stringMatching(/^url\.private: /),
    ]);
    expect(await readdir(own)).toEqual([]);
    expect(await storedFiles()).toBe(0);
  });
});
