import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openStaticModel, parseTable } from "./static-model.ts";

const model = openStaticModel();
const asset = readFileSync(new URL("../../assets/static-minilm.bin", import.meta.url));
/** Half characters included; quicker than fast-check's own, which builds large tables first. */
const anyUnits = (maxLength: number) =>
  fc.array(fc.nat(0xffff), { maxLength }).map((units) => String.fromCharCode(...units));
const lengthOf = (vector: Float32Array) => Math.hypot(...vector);

describe("the static model needs nothing but its file", () => {
  it("a text becomes a direction in 256 dimensions", async () => {
    const [vector] = await model.embed(["I support adoption of this draft."]);
    expect(vector).toHaveLength(256);
    expect(lengthOf(vector as Float32Array)).toBeCloseTo(1, 5);
  });

  it("a text has the same vector alone and among others", async () => {
    const [alone] = await model.embed(["consensus"]);
    expect((await model.embed(["draft", "consensus", "vote"]))[1]).toEqual(alone);
  });

  it("any text has a finite vector of length 1, or 0 where there are no words", async () => {
    await fc.assert(
      fc.asyncProperty(anyUnits(20), async (text) => {
        const [vector] = await model.embed([text]);
        const length = lengthOf(vector as Float32Array);
        expect(Math.abs(length - (length < 0.5 ? 0 : 1))).toBeLessThan(1e-4);
      }),
    );
    expect(await model.embed([""])).toEqual([new Float32Array(256)]);
  });

  it("a megabyte of text is one vector", async () => {
    const [vector] = await model.embed(["We agree on the draft. ".repeat(45_000)]);
    expect(lengthOf(vector as Float32Array)).toBeCloseTo(1, 3);
  });

  it("a caller who no longer wants an answer gets none", async () => {
    await expect(model.embed(["a"], { signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow(
      "stop",
    );
  });
});

describe("a damaged model is refused", () => {
  it.each([
    ["nothing", Buffer.alloc(0)],
    ["another file", Buffer.from("%PDF-1.7 and so on, for at least as many bytes as a header")],
    ["a file that was cut off", asset.subarray(0, 1_000_000)],
    ["a file with something behind it", Buffer.concat([asset, Buffer.alloc(1)])],
  ])("%s", (_, bytes) => {
    expect(() => parseTable(bytes)).toThrow("The static embedding model is damaged");
  });

  it("the one in the package is whole", () => {
    expect(parseTable(asset)).toMatchObject({ dimensions: 256 });
  });
});
