import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FindOptions, findArchives } from "../../intake/src/index.ts";
import { makeTar, makeZip } from "../../intake/test/packed.ts";
import { mailRecogniser } from "../../pipelines/consensus/src/ingest/recognise-mail.ts";

const mbox = (text: string) => `From a@b Mon Jan  3 10:00:00 2005\nFrom: a@b\nSubject: ${text}\n\n${text}\n`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headway-sources-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function lay(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function find(place: string, options: Partial<FindOptions> = {}) {
  const keys: string[] = [];
  const lists = new Set<string>();
  const notes: string[] = [];
  const hashes = new Map<string, string>();
  for await (const found of findArchives(place, { recogniser: mailRecogniser, ...options })) {
    if (found.kind === "skipped") {
      notes.push(found.because.replaceAll(folder, "~"));
      continue;
    }
    keys.push(found.key);
    lists.add(found.list);
    const hash = createHash("sha256");
    for await (const piece of found.open()) hash.update(piece);
    hashes.set(found.key, hash.digest("hex"));
  }
  return { keys, lists: [...lists], notes, hashes };
}

const refusalOf = (place: string) =>
  find(place).then(
    () => "found",
    (error) => `${error.code}: ${error.message.replaceAll(folder, "~")}`,
  );

describe("what is named itself is refused in one sentence", () => {
  it("when it is missing", async () => {
    expect(await refusalOf(join(folder, "no.mbox"))).toBe(
      "path.missing: There is no file or folder ~/no.mbox: check the spelling.",
    );
    const file = await lay("a.mbox", mbox("x"));
    expect(await refusalOf(join(file, "below"))).toMatch(/^path.missing: /);
  });

  it("when it is empty", async () => {
    const sentence = (name: string) => `archive.empty: ~/${name} is empty: name a file or folder with mail.`;
    expect(await refusalOf(await lay("a.mbox", ""))).toBe(sentence("a.mbox"));
    expect(await refusalOf(await lay("b.mbox.gz", gzipSync("")))).toBe(sentence("b.mbox.gz"));
    expect(await refusalOf(await lay("c.zip", makeZip([])))).toBe(
      "archive.empty: ~/c.zip has nothing in it: name a file with mail.",
    );
  });

  it("when it is something else, whatever its name says", async () => {
    expect(await refusalOf(await lay("a.mbox", "%PDF-1.7\n%âãÏÓ\n1 0 obj"))).toMatch(
      /^archive\.not-mail: ~\/a\.mbox is not a mail archive, it is a PDF document: name a file or folder with mail\.$/,
    );
    expect(await refusalOf(await lay("b.zip", makeZip([{ name: "x", data: "%PDF-1.7" }])))).toMatch(
      /^archive\.not-mail: ~\/b\.zip!x is not a mail archive, /,
    );
  });

  it("when it is a folder without mail", async () => {
    await lay("empty/.keep", "");
    await lay("words/notes.txt", "just words\n");
    expect(await refusalOf(join(folder, "words"))).toBe(
      "path.no-mail: The folder ~/words has no mail in it (1 other things were passed over): " +
        "name a folder with mbox files, a maildir or mails.",
    );
    expect(await refusalOf(join(folder, "empty"))).toMatch(/^path.no-mail: /);
  });

  it("when it may not be read, and is passed over among others", async () => {
    const path = await lay("list/a.mbox", mbox("x"));
    await lay("list/b.mbox", mbox("y"));
    await chmod(path, 0);
    await chmod(folder, 0o755);
    // Root may read everything, so the test changes the user for a moment.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65534);
    try {
      expect(await refusalOf(path)).toBe(
        "path.unreadable: ~/list/a.mbox may not be read by this user: change its permissions.",
      );
      const { keys, notes } = await find(join(folder, "list"));
      expect(keys).toEqual(["b.mbox"]);
      expect(notes).toEqual(["~/list/a.mbox may not be read by this user: change its permissions."]);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  it("when a zip file has only things that cannot be read", async () => {
    const path = await lay(
      "a.zip",
      makeZip([
        { name: "x", data: "" },
        { name: "y", data: "words" },
      ]),
    );
    expect(await refusalOf(path)).toBe(
      "archive.empty: None of the 2 things in ~/a.zip can be read; " + "the first: ~/a.zip!x is empty.",
    );
  });
});

describe("a folder", () => {
  it("is read in the order of its names, and what is unsuitable is passed over with a note", async () => {
    await lay("quic/2005-May.txt", mbox("may"));
    await lay("quic/2005-April.txt.gz", gzipSync(mbox("april")));
    await lay("quic/empty.mbox", "");
    await lay("quic/fake.mbox", "%PDF-1.7 nothing");
    await lay("quic/index.html", "<html>");
    await lay("quic/.hidden.mbox", mbox("hidden"));
    await lay("quic/old/mails.zip", makeZip([{ name: "1.eml", data: "From: a@b\nSubject: x\n\nx" }]));
    const { keys, lists, notes } = await find(join(folder, "quic"));
    expect(keys).toEqual(["2005-April.txt", "2005-May.txt", "old/mails/1.eml"]);
    expect(lists).toEqual(["quic", "old"]);
    expect(notes).toEqual([
      "~/quic/.hidden.mbox is hidden.",
      "~/quic/empty.mbox is empty.",
      "~/quic/fake.mbox is not a mail archive, it is a PDF document.",
      "~/quic/index.html is not mail, by its ending .html.",
    ]);
  });

  it("gives its sub-folders lists of their own", async () => {
    for (const list of ["quic", "tls"]) await lay(`archives/${list}/2005/05.mbox`, mbox(list));
    const { keys, lists } = await find(join(folder, "archives"));
    expect(keys).toEqual(["quic/2005/05.mbox", "tls/2005/05.mbox"]);
    expect(lists).toEqual(["quic", "tls"]);
  });

  it("keeps two files apart whose names differ only in their compression", async () => {
    await lay("l/a.mbox", mbox("one"));
    await lay("l/a.mbox.gz", gzipSync(mbox("two")));
    expect((await find(join(folder, "l"))).keys).toEqual(["a.mbox", "a.mbox.gz"]);
  });

  it("does not follow links", async () => {
    await lay("outside.mbox", mbox("secret"));
    await lay("l/a.mbox", mbox("a"));
    await symlink(join(folder, "outside.mbox"), join(folder, "l/out.mbox"));
    await symlink(folder, join(folder, "l/up"));
    await symlink("a.mbox", join(folder, "l/same.mbox"));
    await symlink("nowhere", join(folder, "l/broken"));
    const { keys, notes } = await find(join(folder, "l"));
    expect(keys).toEqual(["a.mbox"]);
    expect(notes).toEqual([
      "~/l/broken is a link that leads nowhere.",
      "~/l/out.mbox is a link that leads out of the folder: name what it leads to, to read it.",
      "~/l/same.mbox is a link to something in the same folder, which is read in its own place.",
      "~/l/up is a link that leads out of the folder: name what it leads to, to read it.",
    ]);
    expect((await find(join(folder, "l/out.mbox"))).keys).toEqual(["out.mbox"]);
  });

  it("reads only the files that are asked for, under the same keys", async () => {
    const path = await lay("l/sub/b.mbox.gz", gzipSync(mbox("b")));
    await lay("l/a.mbox", mbox("a"));
    expect((await find(join(folder, "l"), { only: new Set([path]) })).keys).toEqual(["sub/b.mbox"]);
  });
});

describe("a maildir", () => {
  it("has the same keys when its mails have been read", async () => {
    await lay("wg/new/1204680122.M1P1.host", "From: a@b\nSubject: x\n\nx");
    await lay("wg/cur/1204680121.M1P1.host:2,S", "From: a@b\nSubject: y\n\ny");
    await lay("wg/tmp/1204680123.M1P1.host", "From: a@b\nSubj");
    await lay("wg/.Sent/cur/1204680120.M1P1.host:2,S", "From: a@b\nSubject: z\n\nz");
    const before = await find(join(folder, "wg"));
    expect(before.keys).toEqual([
      ".Sent/1204680120.M1P1.host",
      "1204680121.M1P1.host",
      "1204680122.M1P1.host",
    ]);
    expect(before.lists).toEqual(["sent", "wg"]);
    await rename(
      join(folder, "wg/new/1204680122.M1P1.host"),
      join(folder, "wg/cur/1204680122.M1P1.host:2,RS"),
    );
    expect((await find(join(folder, "wg"))).hashes).toEqual(before.hashes);
  });

  it("in a tar file has them too", async () => {
    const tar = makeTar([{ name: "wg/cur/1204.M1P1.host:2,S", data: "From: a@b\nSubject: y\n\ny" }]);
    const { keys, lists } = await find(await lay("backup.tgz", gzipSync(tar)));
    expect(keys).toEqual(["backup/wg/1204.M1P1.host"]);
    expect(lists).toEqual(["wg"]);
  });
});

const corpora = fileURLToPath(new URL("../../../shared/corpora", import.meta.url));

describe.skipIf(!existsSync(corpora))("real archives (corpora absent)", () => {
  it("compressed files of pipermail are their unpacked bytes", async () => {
    const home = join(corpora, "list-twisted-web-gz");
    const { keys, hashes } = await find(home);
    const files = readdirSync(home).filter((name) => name.endsWith(".gz"));
    expect(keys).toEqual(files.map((name) => name.slice(0, -3)).sort());
    for (const name of files) {
      const bytes = gunzipSync(await readFile(join(home, name)));
      expect(hashes.get(name.slice(0, -3))).toBe(createHash("sha256").update(bytes).digest("hex"));
    }
  });

  it.each([
    ["list-bpf-ietf", 1, ["list-bpf-ietf"]],
    ["list-imagej-devel", 12, ["list-imagej-devel"]],
    ["list-ksummit", 1, ["list-ksummit"]],
    ["list-perceval", 16, ["groupsio", "list-perceval", "nntp"]],
    ["list-ponymail", 19, ["list-ponymail"]],
    ["list-tomoyo", 1, ["list-tomoyo"]],
    ["list-twisted-python", 2, ["list-twisted-python"]],
    ["list-twisted-web-gz", 24, ["list-twisted-web-gz"]],
  ])("%s has %i archives", async (name, count, lists) => {
    const found = await find(join(corpora, name));
    expect(found.keys).toHaveLength(count);
    expect(new Set(found.keys).size).toBe(count);
    expect(found.lists).toEqual(lists);
  });

  it("the pages of a threaded index are no mail", async () => {
    await expect(find(join(corpora, "list-twisted-threads"))).rejects.toMatchObject({ code: "path.no-mail" });
  });
});
