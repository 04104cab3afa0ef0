import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeTar, makeZip, type Part } from "../test/packed.ts";
import { defaultLimits, type UnpackLimits } from "./limits.ts";
import { IngestRefusal } from "./refusal.ts";
import { unpackFile } from "./unpack.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "headway-unpack-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The output for a file with the given bytes, as words; a refusal comes last. */
async function unpack(bytes: Buffer, limits: Partial<UnpackLimits> = {}): Promise<string[]> {
  const path = join(folder, "packed");
  await writeFile(path, bytes);
  const lines: string[] = [];
  try {
    for await (const found of unpackFile(path, { place: "x", limits: { ...defaultLimits, ...limits } })) {
      if (found.kind === "skipped") lines.push(`(${found.because})`);
      else lines.push(`${found.place}: ${await textOf(found.body)}`);
    }
  } catch (error) {
    if (!(error instanceof IngestRefusal)) throw error;
    lines.push(`${error.code}! ${error.message}`);
  }
  return lines;
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of body) pieces.push(piece);
  } catch (error) {
    return error instanceof IngestRefusal ? `<${error.message}>` : String(error);
  }
  const whole = Buffer.concat(pieces);
  return whole.length > 100 ? `${whole.length} bytes` : whole.toString();
}

const two: readonly Part[] = [
  { name: "a.mbox", data: "From a" },
  { name: "sub/b.mbox", data: "From b" },
];
const trust = "if you trust it, unpack it yourself and read what came out.";

describe("unpacking", () => {
  it.each([
    ["plain", Buffer.from("From a"), ["x: From a"]],
    ["gzip", gzipSync("From a"), ["x: From a"]],
    ["zip", makeZip(two), ["x!a.mbox: From a", "x!sub/b.mbox: From b"]],
    [
      "stored zip",
      makeZip(two.map((part) => ({ ...part, stored: true }))),
      ["x!a.mbox: From a", "x!sub/b.mbox: From b"],
    ],
    ["tar", makeTar(two), ["x!a.mbox: From a", "x!sub/b.mbox: From b"]],
    ["tar.gz", gzipSync(makeTar(two)), ["x!a.mbox: From a", "x!sub/b.mbox: From b"]],
    ["zip of gz", makeZip([{ name: "a.gz", data: gzipSync("From a") }]), ["x!a.gz: From a"]],
    [
      "zip of zip",
      makeZip([{ name: "z", data: makeZip(two) }]),
      ["x!z!a.mbox: From a", "x!z!sub/b.mbox: From b"],
    ],
    [
      "zip of tar.gz",
      makeZip([{ name: "t", data: gzipSync(makeTar(two)) }]),
      ["x!t!a.mbox: From a", "x!t!sub/b.mbox: From b"],
    ],
    ["tar of gz", makeTar([{ name: "a.gz", data: gzipSync("From a") }]), ["x!a.gz: From a"]],
    [
      "tar.gz of zip",
      gzipSync(makeTar([{ name: "z", data: makeZip(two) }])),
      ["x!z!a.mbox: From a", "x!z!sub/b.mbox: From b"],
    ],
    ["gz of zip", gzipSync(makeZip(two)), ["x!a.mbox: From a", "x!sub/b.mbox: From b"]],
    ["gz of gz", gzipSync(gzipSync("From a")), ["x: From a"]],
    ["empty zip", makeZip([]), []],
    ["empty", Buffer.alloc(0), ["x: "]],
  ])("%s", async (_name, bytes, expected) => {
    expect(await unpack(bytes)).toEqual(expected);
  });

  it("what is packed deeper is passed over, and its neighbours are read", async () => {
    const deep = makeZip([{ name: "z", data: makeZip([{ name: "y", data: gzipSync("From a") }, ...two]) }]);
    expect(await unpack(deep)).toEqual([
      "(x!z!y is packed inside files that are packed themselves (limit archive.nesting): unpack the outer ones.)",
      "x!z!a.mbox: From a",
      "x!z!sub/b.mbox: From b",
    ]);
    expect(await unpack(gzipSync(gzipSync(gzipSync("From a"))))).toEqual([
      "archive.nested! x is packed inside files that are packed themselves (limit archive.nesting): unpack the outer ones.",
    ]);
  });

  it("names that try to escape, links, devices and secrets are passed over", async () => {
    const names = ["../up", "a/../../up", "/etc/passwd", "C:\\boot", "..\\up", "nul\0nul"];
    const zip = makeZip([
      ...names.map((name) => ({ name, data: "From x" })),
      { name: "link", data: "/etc/passwd", unixMode: 0o120777 },
      { name: "pipe", unixMode: 0o010644 },
      { name: "secret", data: "From x", encrypted: true },
      ...two,
    ]);
    const fromZip = await unpack(zip);
    expect(fromZip.slice(-2)).toEqual(["x!a.mbox: From a", "x!sub/b.mbox: From b"]);
    expect(fromZip.slice(0, -2)).toEqual([
      "(x!../up has a name that leads out of its folder: rename it.)",
      "(x!a/../../up has a name that leads out of its folder: rename it.)",
      "(x!/etc/passwd has the name of an absolute path: rename it.)",
      "(x!C:/boot has the name of an absolute path: rename it.)",
      "(x!../up has a name that leads out of its folder: rename it.)",
      "(x!nul\0nul has a NUL in its name: rename it.)",
      "(x!link is a link: unpack it yourself.)",
      "(x!pipe is a device: unpack it yourself.)",
      "(x!secret is encrypted: unpack it yourself.)",
    ]);
    const tar = makeTar([
      { name: "../up", data: "From x" },
      { name: "link", type: "2" },
      { name: "n".repeat(90), data: "x" },
    ]);
    expect(await unpack(tar, { nameLengthMax: 50 })).toEqual([
      "(x!../up has a name that leads out of its folder: rename it.)",
      "(x!link is a link: unpack it yourself.)",
      `(x!${"n".repeat(50)} has a name of more than 50 characters (limit archive.name): rename it.)`,
    ]);
  });

  it("other compressions are refused with the tool that unpacks them", async () => {
    const bzip2 = Buffer.from("BZh91AY&SY rest");
    expect(await unpack(bzip2)).toEqual([
      'archive.unsupported! x is in the format bzip2, which is not read here: unpack it with "bunzip2" and read the result.',
    ]);
    const xz = makeZip([{ name: "a.xz", data: Buffer.from("fd377a585a000000", "hex") }, ...two]);
    expect((await unpack(xz))[0]).toBe(
      '(x!a.xz is in the format xz, which is not read here: unpack it with "unxz" and read the result.)',
    );
    expect(await unpack(Buffer.from("BZhang wrote: hello"))).toEqual(["x: BZhang wrote: hello"]);
  });

  it("damage costs what is damaged", async () => {
    const gz = gzipSync("From a");
    const zip = makeZip([
      { name: "cut.gz", data: gz.subarray(0, -4) },
      { name: "wrong", data: "From x", crc: 7 },
      { name: "lies", data: "From x".repeat(50), size: 10 },
      ...two,
    ]);
    expect(await unpack(zip)).toEqual([
      "(x!cut.gz is cut off in the middle of its compressed data: copy or download it again.)",
      "(x!wrong is damaged or cut off as a zip file: copy or download it again.)",
      "(x!lies is damaged or cut off as a zip file: copy or download it again.)",
      "x!a.mbox: From a",
      "x!sub/b.mbox: From b",
    ]);
    const tar = makeTar([...two, { name: "c", data: "c".repeat(3000) }]);
    expect(await unpack(tar.subarray(0, 3 * 1024))).toEqual([
      "x!a.mbox: From a",
      "x!sub/b.mbox: From b",
      "(x!c is cut off: copy or download it again.)",
      "(x is damaged as a tar file, it is cut off: copy or download it again.)",
    ]);
    expect((await unpack(makeZip(two).subarray(0, -30)))[0]).toBe(
      "archive.damaged! x is damaged or cut off as a zip file: copy or download it again.",
    );
  });
});

describe("bombs are refused before anything comes out of them, with the limit they hit", () => {
  it("a small file that unpacks to a large one", async () => {
    const zeros = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const refusal = `archive.bomb! x unpacks to more than 200 times its size (limit archive.ratio): ${trust}`;
    expect(await unpack(zeros)).toEqual([
      `x: <x unpacks to more than 200 times its size (limit archive.ratio): ${trust}>`,
    ]);
    expect(await unpack(makeZip([...two, { name: "z", data: zeros }]))).toEqual([refusal]);
    expect(await unpack(gzipSync(makeTar([...two, { name: "0", data: Buffer.alloc(20 << 20) }])))).toEqual([
      refusal,
    ]);
  });

  it("more than may come out in total, or of one entry", async () => {
    const many = Array.from({ length: 30 }, (_, at) => ({
      name: `${at}`,
      data: Buffer.alloc(1000, 64 + at),
    }));
    const bytes = `archive.bomb! x unpacks to more than 19.5 KiB (limit archive.bytes): ${trust}`;
    expect(await unpack(makeZip(many), { bytesMax: 20_000 })).toEqual([bytes]);
    expect(await unpack(makeTar(many), { bytesMax: 20_000 })).toEqual([bytes]);
    expect(await unpack(gzipSync(makeTar(many)), { bytesMax: 20_000 })).toEqual([bytes]);
    for (const packed of [makeZip(many), makeTar(many), gzipSync(makeTar(many))]) {
      expect(await unpack(packed, { entryBytesMax: 900 })).toEqual([
        `archive.bomb! x!0 unpacks to more than 900 bytes (limit archive.entryBytes): ${trust}`,
      ]);
    }
  });

  it("20,000 entries", async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({ name: `${at}`, data: "", stored: true }));
    const refusal = `archive.bomb! x has more than 10000 entries (limit archive.entries): ${trust}`;
    expect(await unpack(makeZip(many))).toEqual([refusal]);
    expect(await unpack(gzipSync(makeTar(many)))).toEqual([refusal]);
    const names = many.slice(0, 2_000).map(({ name }) => ({ name: "long", type: "L", data: name }));
    expect(await unpack(gzipSync(makeTar(names)), { entriesMax: 1_000 })).toEqual([
      `archive.bomb! x has more than 1000 entries (limit archive.entries): ${trust}`,
    ]);
  });

  it("entries that share one piece of data", async () => {
    const kernel = { name: "kernel", data: Buffer.alloc(1 << 20) };
    const shared = Array.from({ length: 5_000 }, (_, at) => ({ name: `${at}`, shares: 0 }));
    expect(await unpack(makeZip([kernel, ...shared]))).toEqual([
      `archive.bomb! x unpacks to more than 4 GiB (limit archive.bytes): ${trust}`,
    ]);
    expect(await unpack(makeZip([kernel, ...shared.slice(0, 40)]))).toEqual([
      `archive.bomb! x unpacks to more than 200 times its size (limit archive.ratio): ${trust}`,
    ]);
  });

  it("zip files of zip files of zip files", async () => {
    const nest = (inner: Buffer) =>
      makeZip(Array.from({ length: 16 }, (_, at) => ({ name: `${at}.zip`, data: inner })));
    const lines = await unpack(nest(nest(nest(Buffer.alloc(1 << 20)))));
    expect(lines).toHaveLength(256);
    expect(lines.every((line) => line.includes("(limit archive.nesting)"))).toBe(true);
  });

  it("no temporary file stays behind", async () => {
    const own = join(folder, "temporary");
    await mkdir(own);
    vi.stubEnv("TMPDIR", own);
    await unpack(gzipSync(makeZip([{ name: "z", data: makeZip(two) }])));
    await unpack(gzipSync(makeZip([{ name: "z", data: gzipSync(Buffer.alloc(20 << 20)) }])));
    vi.unstubAllEnvs();
    expect(await readdir(own)).toEqual([]);
  });
});
