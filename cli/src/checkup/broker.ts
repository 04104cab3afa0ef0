import { archiveIngested } from "@headway/consensus";
import { defaultExchange, checkBroker as examine } from "@headway/engine/internal";
import { currentApp, runsConsensus } from "../app/current-app.ts";
import type { Place } from "../shared-options.ts";
import { type Finding, findingsOf } from "./finding.ts";

/** The broker, if any: access, and the state of our queues. */
export async function checkBroker({ broker }: Place): Promise<Finding[]> {
  if (!broker) return [];
  const found = await examine({
    url: broker.url,
    exchange: broker.exchange ?? defaultExchange,
    stages: currentApp()
      .pipelines()
      .flatMap(({ stages }) => stages.map(({ name }) => name)),
    receives: runsConsensus() ? [archiveIngested] : [],
  });
  return found.map(({ state, says }) => findingsOf("broker")[state](says));
}
