import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unpackTemplate } from "./unpack-template.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "headway-unpack-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function anEntry(name: string, content = "", kind = "0"): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(content.length.toString(8).padStart(11, "0"), 124);
  header.write(kind, 156);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return Buffer.concat([header, body]);
}
const aTar = (...entries: readonly Buffer[]) =>
  new Uint8Array(Buffer.concat([...entries, Buffer.alloc(1024)]));

describe("a template", () => {
  it("is unpacked with its files and its empty folders", async () => {
    const long = "a".repeat(1_000);
    await unpackTemplate(
      aTar(anEntry("/base/1/7", long), anEntry("/pg_notify", "", "5"), anEntry("/x", "")),
      folder,
    );
    expect(await readFile(join(folder, "base/1/7"), "utf8")).toBe(long);
    expect(await readdir(join(folder, "pg_notify"))).toEqual([]);
    expect(await readFile(join(folder, "x"), "utf8")).toBe("");
  });

  it.each([
    ["outside of its folder", aTar(anEntry("../../escaped", "x"))],
    ["cut short", aTar(anEntry("cut", "x".repeat(600))).subarray(0, 700)],
    ["of kind 2", aTar(anEntry("link", "", "2"))],
  ])("with a file %s is refused", async (problem, tar) => {
    await expect(unpackTemplate(tar, folder)).rejects.toThrow(problem);
  });
});
