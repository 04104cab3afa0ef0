import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anyFile as recogniser } from "../test/any-file.ts";
import { compare, type WatchOptions, watchFolder } from "./watch.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headway-watch-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A watch with pauses that run the steps, ended after the last step. */
async function watchThrough(steps: readonly (() => Promise<unknown>)[]): Promise<string[][]> {
  const stop = new AbortController();
  const told: string[][] = [];
  const left = [...steps];
  const options: WatchOptions = {
    recogniser,
    signal: stop.signal,
    onChange: (paths) => void told.push(paths.map((path) => basename(path))),
    async pause() {
      const step = left.shift();
      if (step) await step();
      else stop.abort();
    },
  };
  await watchFolder(folder, options);
  return told;
}

const nothing = async () => undefined;
const put = (name: string, text: string) => () => writeFile(join(folder, name), text);
const grow = (name: string) => () => appendFile(join(folder, name), "more");

describe("watching a folder", () => {
  it("tells what is there at the start, once it has stayed the same", async () => {
    await mkdir(join(folder, "sub"));
    await writeFile(join(folder, "sub/a.mbox"), "From a");
    await writeFile(join(folder, "b.mbox"), "From b");
    expect(await watchThrough([nothing, nothing, nothing, nothing])).toEqual([["b.mbox", "a.mbox"]]);
  });

  it("waits until a file has stopped growing", async () => {
    const steps = [put("a", "x"), grow("a"), grow("a"), grow("a"), nothing, nothing, nothing];
    expect(await watchThrough([nothing, ...steps])).toEqual([["a"]]);
  });

  it("tells a change once, and a second change again", async () => {
    await writeFile(join(folder, "a"), "x");
    const quiet = [nothing, nothing, nothing, nothing, nothing];
    expect(await watchThrough([...quiet, grow("a"), ...quiet, put("b", "y"), ...quiet])).toEqual([
      ["a"],
      ["a"],
      ["b"],
    ]);
  });

  it("goes on when the folder is gone for a while", async () => {
    await writeFile(join(folder, "a"), "x");
    const away = () => rm(folder, { recursive: true });
    const back = async () => {
      await mkdir(folder);
      await writeFile(join(folder, "b"), "y");
    };
    const quiet = [nothing, nothing, nothing, nothing];
    expect(await watchThrough([...quiet, away, ...quiet, back, ...quiet])).toEqual([["a"], ["b"]]);
  });

  it("hears of a new file long before the next look", async () => {
    const stop = new AbortController();
    const told: string[] = [];
    const watching = watchFolder(folder, {
      recogniser,
      signal: stop.signal,
      settleMs: 20,
      lookMs: 600_000,
      onChange(paths) {
        told.push(...paths);
        if (told.length === 1) return writeFile(join(folder, "second"), "y");
        stop.abort();
      },
    });
    await writeFile(join(folder, "first"), "x");
    await watching;
    expect(told.map((path) => basename(path))).toEqual(["first", "second"]);
  });

  it("ends with what reading threw, and refuses what is no folder", async () => {
    await writeFile(join(folder, "a"), "x");
    const onChange = () => Promise.reject(new Error("reading failed"));
    const signal = new AbortController().signal;
    await expect(watchFolder(folder, { recogniser, onChange, signal, settleMs: 1 })).rejects.toThrow(
      "reading failed",
    );
    await expect(watchFolder(join(folder, "a"), { recogniser, onChange, signal })).rejects.toMatchObject({
      code: "path.unreadable",
    });
    await expect(watchFolder(join(folder, "no"), { recogniser, onChange, signal })).rejects.toMatchObject({
      code: "path.missing",
    });
  });
});

describe("what has settled", () => {
  it("is what differs from what was read and equals what was seen", () => {
    const looks = new Map([
      ["new", "1"],
      ["same", "1"],
      ["grown", "2"],
      ["settled", "2"],
    ]);
    const seen = new Map([
      ["same", "1"],
      ["grown", "1"],
      ["settled", "2"],
    ]);
    const read = new Map([
      ["same", "1"],
      ["grown", "1"],
      ["settled", "1"],
    ]);
    expect(compare({ looks, seen, read })).toEqual({ settled: ["settled"], moving: true });
    expect(compare({ looks, seen: looks, read: looks })).toEqual({ settled: [], moving: false });
  });
});
