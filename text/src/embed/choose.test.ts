import { describe, expect, it } from "vitest";
import { openEmbedder } from "./choose.ts";

describe("the embedder that was asked for is opened", () => {
  it("static", async () => {
    expect((await openEmbedder({ embedder: "static" })).model).toMatch(/^static-/);
  });

  it("a server by its address, known by the name of its model", async () => {
    const embedder = await openEmbedder({
      embedder: "http://127.0.0.1:11434/v1",
      model: "nomic-embed-text",
      tokensMax: 512,
    });
    expect(embedder).toMatchObject({ model: "nomic-embed-text", tokensMax: 512 });
  });

  it("a server without the name of a model is refused", async () => {
    await expect(openEmbedder({ embedder: "http://127.0.0.1:11434/v1" })).rejects.toThrow(
      "HEADWAY_EMBEDDER_MODEL is not set",
    );
  });

  it.each(["", "magic", "ftp://user:sesame@host/", "//user:sesame@host"])(
    "%j is refused in one sentence that does not repeat it",
    async (embedder) => {
      const thrown = await openEmbedder({ embedder, model: "m" }).catch((error: Error) => error);
      expect(thrown).toMatchObject({
        message: "HEADWAY_EMBEDDER is not an embedder; expected static, minilm or an http(s) address.",
      });
    },
  );
});
