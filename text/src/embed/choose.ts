import { cacheEmbedder } from "./cached.ts";
import type { Embedder } from "./embedder.ts";
import { miniLmModel, openMiniLm } from "./minilm.ts";
import { openEmbeddingServer, serverTokensMax } from "./openai-compatible.ts";
import { SettingsError } from "./settings-error.ts";
import { openStaticModel, staticModelName, staticTokensMax } from "./static-model.ts";

export interface EmbedderSettings {
  /** `static`, `minilm`, or the address of an embedding server. */
  readonly embedder: string;
  /** Model name for the server. */
  readonly model?: string;
  readonly apiKey?: string;
  /** Length limit of passages for the server. */
  readonly tokensMax?: number;
  readonly timeoutMs?: number;
  /** Folder of `minilm`, if not beside this package. */
  readonly folder?: string;
}

/** Opens the requested embedder. The static model is faster than a cache. */
export async function openEmbedder(settings: EmbedderSettings): Promise<Embedder> {
  const { embedder, model, apiKey, tokensMax, timeoutMs, folder } = settings;
  if (embedder === "static") return openStaticModel();
  if (embedder === "minilm") return cacheEmbedder(await openMiniLm(folder === undefined ? {} : { folder }));
  if (!URL.canParse(embedder) || !/^https?:$/.test(new URL(embedder).protocol)) {
    // the given value may contain a password, so the message omits it
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

/** Name and length limit of the requested embedder, without opening the embedder. */
export function describeEmbedder({ embedder, model, tokensMax = serverTokensMax }: EmbedderSettings): {
  readonly model: string;
  readonly tokensMax: number;
} {
  if (embedder === "static") return { model: staticModelName, tokensMax: staticTokensMax };
  return embedder === "minilm" ? miniLmModel : { model: model ?? embedder, tokensMax };
}
