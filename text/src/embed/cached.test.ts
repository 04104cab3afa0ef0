import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cacheEmbedder } from "./cached.ts";
import type { Embedder } from "./embedder.ts";

/** Embeds a text by its length, and records the requests. */
function aCountingEmbedder(): Embedder & { readonly asked: string[][] } {
  const asked: string[][] = [];
  return {
    asked,
    model: "counting",
    tokensMax: 8,
    tokenize: (text) => ({ starts: [0], ends: [text.length] }),
    embed: async (texts) => {
      asked.push([...texts]);
      return texts.map((text) => Float32Array.of(text.length, 1));
    },
  };
}

describe("a text is embedded once", () => {
  it("only new texts are asked for, each once, and all are answered in order", async () => {
    const inner = aCountingEmbedder();
    const embedder = cacheEmbedder(inner);
    await embedder.embed(["a", "bb"]);
    const vectors = await embedder.embed(["ccc", "bb", "ccc", "a"]);
    expect(inner.asked).toEqual([["a", "bb"], ["ccc"]]);
    expect(vectors.map(([length]) => length)).toEqual([3, 2, 3, 1]);
  });

  it("what was not used for longest is forgotten first", async () => {
    const inner = aCountingEmbedder();
    const embedder = cacheEmbedder(inner, { entriesMax: 2 });
    for (const text of ["a", "bb", "a", "ccc", "a", "bb"]) await embedder.embed([text]);
    expect(inner.asked.flat()).toEqual(["a", "bb", "ccc", "bb"]);
  });

  it("more texts at once than it can remember are all answered", async () => {
    const embedder = cacheEmbedder(aCountingEmbedder(), { entriesMax: 2 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string()), async (texts) => {
        const vectors = await embedder.embed(texts);
        expect(vectors.map(([length]) => length)).toEqual(texts.map((text) => text.length));
      }),
    );
  });

  it("changing a vector that was handed out changes no other", async () => {
    const embedder = cacheEmbedder(aCountingEmbedder());
    const [first] = await embedder.embed(["a"]);
    first?.fill(7);
    expect(await embedder.embed(["a", "a"])).toEqual([Float32Array.of(1, 1), Float32Array.of(1, 1)]);
  });

  it("a failure is passed on and not remembered", async () => {
    const inner = aCountingEmbedder();
    let down = true;
    const embedder = cacheEmbedder({
      ...inner,
      embed: async (texts) => {
        if (down) throw new Error("down");
        return await inner.embed(texts);
      },
    });
    await expect(embedder.embed(["a"])).rejects.toThrow("down");
    down = false;
    expect(await embedder.embed(["a"])).toEqual([Float32Array.of(1, 1)]);
  });

  it("texts that differ in half characters only are different texts", async () => {
    const inner = aCountingEmbedder();
    await cacheEmbedder(inner).embed(["\ud800", "\ud801"]);
    expect(inner.asked).toEqual([["\ud800", "\ud801"]]);
  });
});
