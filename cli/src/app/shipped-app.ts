import { describeConsensus, makeConsensus, readSettings, startConsensus } from "@headway/consensus";
import type { Pipeline } from "@headway/engine";
import { makeManuals } from "@headway/manuals";
import type { CommandLineApp } from "./command-line-app.ts";

/** The pipelines that Headway ships: what the command is about where there is no configuration. */
export const shippedApp: CommandLineApp = {
  file: null,
  database: null,
  broker: null,
  commands: [],
  drill: null,
  services: {},
  pipelines: () => [declaredConsensus()],
  exactPipelines: async () => [(await describeConsensus(readSettings(process.env))).pipeline, makeManuals()],
  async start(options) {
    const consensus = await startConsensus({ ...options, settings: readSettings(process.env) });
    return {
      engine: consensus.engine,
      pipelines: [consensus.pipeline],
      consensus,
      stop: () => consensus.stop(),
    };
  },
};

/** The consensus pipeline as the settings declare it; models are not opened for that. */
export function declaredConsensus(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Pipeline {
  const { embedder, llmModel, listQuiet, threadQuiet } = readSettings(variables);
  return makeConsensus({
    embedder: { model: embedder, tokensMax: 256 },
    summarizer: { model: llmModel ?? "extractive" },
    listQuiet,
    threadQuiet,
  });
}
