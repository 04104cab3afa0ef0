import { cacheEmbedder } from "./cached.ts";
import type { Embedder } from "./embedder.ts";
import { openMiniLm } from "./minilm.ts";
import { openEmbeddingServer } from "./openai-compatible.ts";
import { SettingsError } from "./settings-error.ts";
import { openStaticModel } from "./static-model.ts";

export interface EmbedderSettings {
  /** `static`, `minilm`, or the address of an embedding server. */
  readonly embedder: string;
  /** The model to ask that server for. */
  readonly model?: string;
  readonly apiKey?: string;
  /** How long passages for that server may be. */
  readonly tokensMax?: number;
  readonly timeoutMs?: number;
  /** Where `minilm` is installed, when it is not beside this package. */
  readonly folder?: string;
}

/** Opens the embedder that was asked for. The static one is faster than a cache. */
export async function openEmbedder(settings: EmbedderSettings): Promise<Embedder> {
  const { embedder, model, apiKey, tokensMax, timeoutMs, folder } = settings;
  if (embedder === "static") return openStaticModel();
  if (embedder === "minilm") return cacheEmbedder(await openMiniLm(folder === undefined ? {} : { folder }));
  if (!URL.canParse(embedder) || !/^https?:$/.test(new URL(embedder).protocol)) {
    // what was given may contain a password, so it is not repeated
    throw new SettingsError("HEADWAY_EMBEDDER", "is not an embedder", "static, minilm or an http(s) address");
  }
  if (!model)
    throw new SettingsError(
      "HEADWAY_EMBEDDER_MODEL",
      "is not set",
      "the name of the model at HEADWAY_EMBEDDER",
    );
  return cacheEmbedder(
    openEmbeddingServer({
      url: embedder,
      model,
      ...(apiKey && { apiKey }),
      ...(tokensMax !== undefined && { tokensMax }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    }),
  );
}
