import { archiveIngested, makeConsensus, readSettings } from "@headway/consensus";
import { defaultExchange, checkBroker as examine } from "@headway/engine/operate";
import type { Place } from "../shared-options.ts";
import { type Finding, findingsOf } from "./finding.ts";

/** The broker, if any: access, and the state of our queues. */
export async function checkBroker({ broker }: Place): Promise<Finding[]> {
  if (!broker) return [];
  const found = await examine({
    url: broker.url,
    exchange: broker.exchange ?? defaultExchange,
    stages: ownStages(),
    receives: [archiveIngested],
  });
  return found.map(({ state, says }) => findingsOf("broker")[state](says));
}

/** Settings do not change stage names; invalid settings are reported by the check of models. */
function ownStages(): string[] {
  const { embedder, listQuiet, threadQuiet } = readSettings({});
  const settings = { embedder: { model: embedder, tokensMax: 256 }, summarizer: { model: "extractive" } };
  return makeConsensus({ ...settings, listQuiet, threadQuiet }).stages.map(({ name }) => name);
}
