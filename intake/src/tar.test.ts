import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeTar, paxRecord } from "../test/packed.ts";
import { makeByteReader } from "./byte-reader.ts";
import { readTar, type TarItem } from "./tar.ts";

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The content of a tar file, as words; `reads` tells which bodies are read to their end. */
async function list(tar: Buffer, { pieceSize = 1000, reads = true } = {}): Promise<string[]> {
  const lines: string[] = [];
  for await (const item of readTar(makeByteReader(inPieces(tar, pieceSize)))) {
    lines.push(await describeItem(item, reads));
  }
  return lines;
}

async function describeItem(item: TarItem, reads: boolean): Promise<string> {
  switch (item.kind) {
    case "file": {
      if (!reads) return item.name;
      const pieces: Uint8Array[] = [];
      try {
        for await (const piece of item.body) pieces.push(piece);
      } catch (error) {
        return `${item.name}: ${(error as Error).message}`;
      }
      return `${item.name}: ${Buffer.concat(pieces)}`;
    }
    case "folder":
      return `${item.name} (folder)`;
    case "other":
      return `${item.name} is ${item.what}`;
    case "meta":
      return "meta";
    case "damaged":
      return item.because;
  }
}

describe("tar files", () => {
  it("entries come in order, whatever the pieces and whether they are read", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ name: fc.stringMatching(/^[a-z]{1,20}$/), data: fc.string({ maxLength: 1500 }) }),
        ),
        fc.integer({ min: 1, max: 3000 }),
        async (parts, pieceSize) => {
          const tar = makeTar(parts);
          expect(await list(tar, { pieceSize })).toEqual(parts.map(({ name, data }) => `${name}: ${data}`));
          expect(await list(tar, { pieceSize, reads: false })).toEqual(parts.map(({ name }) => name));
        },
      ),
      { numRuns: 50 },
    );
  });

  it("links, devices, folders and files with holes are told, and what follows is read", async () => {
    const tar = makeTar([
      { name: "a/", type: "5" },
      { name: "b", type: "2" },
      { name: "c", type: "1", size: 999 },
      { name: "d", type: "3" },
      { name: "e", type: "S", data: "holes" },
      { name: "f", type: "Z", data: "?" },
      { name: "g", data: "mail" },
    ]);
    expect(await list(tar)).toEqual([
      "a/ (folder)",
      "b is a link",
      "c is a link",
      "d is a device",
      "e is a file with holes",
      "f is of a kind that is not known here",
      "g: mail",
    ]);
  });

  it("long names of GNU and pax count for the next entry only", async () => {
    const long = "a-long-name/".repeat(20);
    const tar = makeTar([
      { name: "././@LongLink", type: "L", data: `${long}one\0` },
      { name: "short", data: "1" },
      { name: "pax", type: "x", data: paxRecord("path", `${long}Ü`) + paxRecord("mtime", "1.5") },
      { name: "short", data: "2" },
      { name: "plain", data: "3" },
    ]);
    expect(await list(tar)).toEqual(["meta", `${long}one: 1`, "meta", `${long}Ü: 2`, "plain: 3"]);
  });

  it("a size of pax counts, and one that is no number is damage", async () => {
    const sized = (size: string) => [
      { name: "pax", type: "x", data: paxRecord("size", size) },
      { name: "x", data: "four", size: 0 },
    ];
    expect(await list(makeTar(sized("4")))).toEqual(["meta", "x: four"]);
    expect(await list(makeTar(sized("-4")))).toEqual(["meta", "an entry has a size that is not a number"]);
  });

  it("what is cut off says so, after what was whole", async () => {
    const tar = makeTar([
      { name: "one", data: "1".repeat(600) },
      { name: "two", data: "2".repeat(600) },
    ]);
    expect((await list(tar.subarray(0, 1536))).at(-1)).toContain("one");
    expect(await list(tar.subarray(0, 1536 + 700))).toEqual([
      `one: ${"1".repeat(600)}`,
      "two: The tar file is cut off.",
      "it is cut off",
    ]);
  });

  it("a header whose checksum is wrong ends it", async () => {
    const tar = makeTar([{ name: "one", data: "1" }, { name: "two" }]);
    tar[1024] = 0x7a;
    expect(await list(tar)).toEqual(["one: 1", "an entry has a wrong checksum"]);
  });

  it("noise never makes it fail or run on", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(4000), fc.integer({ min: 0, max: 255 })), { maxLength: 20 }),
        async (flips) => {
          const tar = makeTar([
            { name: "pax", type: "x", data: paxRecord("path", "p") + paxRecord("size", "3") },
            { name: "one", data: "123" },
            { name: "two", data: "4".repeat(700) },
          ]);
          for (const [at, byte] of flips) tar[at % tar.length] = byte;
          expect((await list(tar)).length).toBeLessThan(10);
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(["ustar", "pax", "gnu", "v7"])("files of the machine's own tar are read (%s)", async (format) => {
    const folder = await mkdtemp(join(tmpdir(), "headway-tar-"));
    try {
      const name = format === "v7" ? "short.mbox" : `${"deep/".repeat(format === "ustar" ? 30 : 60)}ü.mbox`;
      await mkdir(join(folder, name, ".."), { recursive: true });
      await writeFile(join(folder, name), "From me");
      await promisify(execFile)("tar", [`--format=${format}`, "-cf", "out.tar", name], { cwd: folder });
      const lines = await list(await readFile(join(folder, "out.tar")));
      expect(lines.filter((line) => line !== "meta")).toEqual([`${name}: From me`]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
