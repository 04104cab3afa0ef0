import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { feed, readSettings, startConsensus } from "@headway/consensus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../cli/src/run.ts";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import type { Blobs } from "../../intake/src/blobs.ts";
import { openBlobs } from "../../intake/src/choose-blobs.ts";
import { openFolderBlobs } from "../../intake/src/folder-blobs.ts";
import { messages } from "../../pipelines/consensus/src/collections.ts";
import { type BlobShelf, collect, pieces, sha256 } from "../conformance/blobs.ts";
import { openDatabaseShelf } from "../conformance/database-blobs.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { makeCollectingConsole } from "./collecting-console.ts";
import { startHeadway } from "./headway-process.ts";
import { anMbox } from "./invented-mail.ts";

const postgres = useOwnSchema("kept_blobs");
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "headway-kept-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe("machines that share a database and no folder", () => {
  it("one takes an archive in, another reads it", { timeout: 60_000 }, async () => {
    const here = join(home, "here");
    await mkdir(here);
    const mbox = join(here, "tides.mbox");
    await writeFile(mbox, anMbox({ id: "flood" }, { id: "ebb", text: "Low water. ".repeat(200_000) }));
    const schema = postgres.fresh();
    const consensus = await startConsensus({
      data: join(here, "data"),
      database: { url: postgres.url, schema },
      settings: readSettings({}),
      work: false,
    });
    expect(await feed(consensus, [mbox], { list: "tides" })).toMatchObject({ accepted: 1 });
    expect(existsSync(join(here, "data", "blobs"))).toBe(false);
    // Without this folder, the second process cannot read the bytes from there.
    await rm(here, { recursive: true });

    const address = new URL(postgres.url);
    address.searchParams.set("schema", schema);
    const there = join(home, "there");
    const port = String(20_000 + (process.pid % 10_000));
    const words = ["--stages", "splitting,parsing,merging", "--port", port, "--data", there];
    const worker = startHeadway(["work", ...words, "--database", address.href], { cwd: home });
    try {
      await expect.poll(() => readAll(consensus), { timeout: 40_000, interval: 100 }).toHaveLength(2);
    } finally {
      worker.signal("SIGTERM");
      await worker.ended;
      await consensus.stop();
    }
    // An archive goes with its bytes, in any store and by any deletion.
    const blobs = () =>
      postgres.direct.query<{ hash: string }>({ text: `select hash from "${schema}".blob`, values: [] });
    expect(await blobs()).toHaveLength(1);
    const place = ["--database", address.href, "--data", there];
    expect(await run(["delete", "source", "list tides", "--yes", ...place], makeCollectingConsole())).toBe(0);
    expect(await blobs()).toEqual([]);
  });

  const readAll = async ({ engine }: Awaited<ReturnType<typeof startConsensus>>) => {
    const found: string[] = [];
    for await (const { messageId } of engine.documents(messages)) found.push(messageId);
    return found;
  };
});

describe("where blobs are kept", () => {
  let shelf: BlobShelf;
  let folder: string;
  let open: (setting: string, option: { url: string } | { folder: string }) => Promise<Blobs>;
  beforeAll(async () => {
    const database = await openPglite({ folder: null, inline: true });
    shelf = await openDatabaseShelf(database);
    folder = join(home, "blobs");
    open = (setting, option) =>
      openBlobs({
        folder,
        database: Promise.resolve(database),
        option,
        settings: readSettings({ HEADWAY_BLOBS: setting }),
      });
  });
  afterAll(() => shelf.close());

  it.each([
    ["auto", { url: "postgres://…" }, "database"],
    ["auto", { folder: "…" }, "folder"],
    ["folder", { url: "postgres://…" }, "folder"],
    ["database", { folder: "…" }, "database"],
  ] as const)("HEADWAY_BLOBS=%s on %j is the %s", async (setting, option, kind) => {
    await shelf.empty();
    await rm(folder, { recursive: true, force: true });
    await (await open(setting, option)).put(pieces("x"));
    expect({ folder: existsSync(folder), database: await shelf.count() }).toEqual(
      kind === "folder" ? { folder: true, database: 0 } : { folder: false, database: 1 },
    );
  });

  it("what was kept in the other place before is read there, and removed there", async () => {
    const hash = sha256("kept before");
    const before = await openFolderBlobs(folder);
    await before.put(pieces("kept before"));
    const blobs = await open("database", { folder: "…" });
    expect(await blobs.has(hash)).toBe(true);
    expect(await blobs.list()).toContain(hash);
    expect((await collect(blobs.open(hash))).toString()).toBe("kept before");
    // Reading the archive again moves the bytes along, and a deletion covers both stores.
    await blobs.put(pieces("kept before"));
    expect(await (await shelf.open()).has(hash)).toBe(true);
    await blobs.remove(hash);
    expect(await before.has(hash)).toBe(false);
    expect(await (await shelf.open()).has(hash)).toBe(false);
  });
});
